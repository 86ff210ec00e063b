// validate.mjs MODULES SCHEMA FILE...: every document of every file (JSON or JSON Lines) must fit.
import { loadValidator, readDocuments } from "./validator.mjs";

const [modules, schema, ...files] = process.argv.slice(2);
if (files.length === 0) {
  console.error("usage: validate.mjs MODULES SCHEMA FILE...");
  process.exit(2);
}
const validate = loadValidator(modules, schema);
let checked = 0;
let wrong = 0;
for (const file of files) {
  let documents;
  try {
    documents = readDocuments(file);
  } catch (error) {
    console.error(error.message);
    wrong++;
    continue;
  }
  if (documents.length === 0) {
    console.error(`${file}: holds no document`);
    wrong++;
  }
  for (const { line, document } of documents) {
    checked++;
    if (!validate(document)) {
      wrong++;
      for (const { instancePath, message, params } of validate.errors.slice(0, 10)) {
        console.error(`${file}:${line}: ${instancePath || "/"} ${message} ${JSON.stringify(params)}`);
      }
    }
  }
}
console.log(`${checked} documents checked, ${wrong} wrong`);
process.exit(wrong === 0 ? 0 : 1);
