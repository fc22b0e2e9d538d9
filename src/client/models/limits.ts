/** How deep the schemas in the input schema of a tool may be nested, before its arguments become one JSON text. */
export const MAX_SCHEMA_DEPTH = 100;
/** How many schemas the input schema of a tool may have, before its arguments become one JSON text. */
export const MAX_SCHEMAS = 5000;
/** How many schemas a strict function, or one for Gemini, may have; each reference repeats the schema that it names. */
export const MAX_WRITTEN_SCHEMAS = 2000;
/** How many schemas a text in a description repeats with their references resolved. */
export const MAX_EXPANDED_SCHEMAS = 100;
/** How many characters of a schema a description repeats. */
export const MAX_DESCRIBED_CHARACTERS = 2000;
