// refusals.mjs MODULES SCHEMA FILE: the first document of the file fits; broken in any of the ways
// below it must not. A check that accepts everything would pass every other test.
import { loadValidator, readDocuments } from "./validator.mjs";

const [modules, schema, file] = process.argv.slice(2);
const validate = loadValidator(modules, schema);
const document = readDocuments(file)[0].document;

const breakages = {
  "another schema": (d) => (d.schema = "gputaskman/2"),
  "a renamed field": (d) => ((d.taken = d.taken_at), delete d.taken_at),
  "a missing list": (d) => delete d.processes,
  "a time without microseconds": (d) => (d.taken_at = "2026-11-29T12:00:00Z"),
  "a day that is none": (d) => (d.taken_at = "2026-02-31T25:00:00.000000Z"),
  "an unknown origin": (d) => (d.origin = "dream"),
  "bytes as text": (d) => (d.adapters[0].memory.vram_total_bytes = "1"),
  "half a byte": (d) => (d.adapters[0].memory.vram_total_bytes = 1.5),
  "negative bytes": (d) => (d.adapters[0].memory.vram_total_bytes = -1),
  "an engine that is missing": (d) => delete d.adapters[0].engines_percent.gfx,
  "a reason that is none": (d) => (d.adapters[0].unavailable.load_percent = "shy"),
  "measured among what is not": (d) => (d.adapters[0].not_measured.load_percent = "measured"),
  "a parent that is a number": (d) => (d.adapters[0].parent = 0),
  "an adapter without id": (d) => (d.adapters[0].id = null),
  "a process without gpus": (d) => delete d.processes[0].gpus,
  "an unknown class": (d) => (d.processes[0].class = "dream"),
  "a list that is an object": (d) => (d.processes[0].gpus = {}),
  "a source of bytes that is none": (d) => (d.processes[0].models[0].devices[0].source.weights = "felt"),
};

let wrong = 0;
if (!validate(document)) {
  console.error("the document itself does not fit:", validate.errors[0]);
  wrong++;
}
for (const [name, breakIt] of Object.entries(breakages)) {
  const broken = structuredClone(document);
  breakIt(broken);
  if (validate(broken)) {
    console.error(`accepted: ${name}`);
    wrong++;
  }
}
console.log(`${Object.keys(breakages).length} breakages tried, ${wrong} wrong`);
process.exit(wrong === 0 ? 0 : 1);
