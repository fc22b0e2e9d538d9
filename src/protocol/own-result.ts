/** Marks a result whose type an extension brought: it is not content that a handler returned. */
export const OWN_RESULT: unique symbol = Symbol.for('tenon.own-result');
