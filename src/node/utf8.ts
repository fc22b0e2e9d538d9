import buffer from 'node:buffer';

// Imported by its name, it would be a syntax error on a Node that does not have it, before its version is checked.
export const { isUtf8 } = buffer;
