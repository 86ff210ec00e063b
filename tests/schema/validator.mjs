// A validator for one JSON Schema: ajv, draft 2020-12, in strict mode.
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import { join } from "node:path";

// `modules` is the folder in which `npm ci` was run: never the source tree.
export function loadValidator(modules, schemaFile) {
  const require = createRequire(join(modules, "package.json"));
  const { Ajv2020 } = require("ajv/dist/2020");
  const ajv = new Ajv2020({ strict: true, allErrors: true, formats: { "date-time": isDateTime } });
  return ajv.compile(JSON.parse(readFileSync(schemaFile, "utf8")));
}

function isDateTime(text) {
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/.test(text) && !Number.isNaN(Date.parse(text));
}

// The documents of a file with the lines they begin at: one object, or one a line (JSON Lines).
export function readDocuments(file) {
  const text = readFileSync(file, "utf8");
  try {
    return [{ line: 1, document: JSON.parse(text) }];
  } catch (whole) {
    const lines = text.split("\n").map((line, index) => ({ line: index + 1, text: line }));
    const filled = lines.filter(({ text }) => text.trim() !== "");
    if (filled.length < 2) throw new Error(`${file}: ${whole.message}`);
    return filled.map(({ line, text }) => {
      try {
        return { line, document: JSON.parse(text) };
      } catch (error) {
        throw new Error(`${file}:${line}: ${error.message}`);
      }
    });
  }
}
