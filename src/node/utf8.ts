import buffer from 'node:buffer';

// A named import would be a syntax error on a Node without this function, before its version is checked.
export const { isUtf8 } = buffer;
