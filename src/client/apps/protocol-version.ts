/** The version of the protocol between apps and hosts, which has versions of its own. */
export const PROTOCOL_VERSION = '2026-01-26';
