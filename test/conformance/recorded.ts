/** How many checks pass, by the version of the specification or `extension`, and by scenario. */
export type Recorded = Readonly<Record<string, Readonly<Record<string, number>>>>;

/**
 * Servers, all scenarios of a version together: how many checks the official SDK passes (`@modelcontextprotocol/server`
 * 2.4.0 with the conformance server of its repository), so that a scenario which falls silent is noticed. At 2025-11-25
 * it passes one more, `server-sse-streams-functional`, which exists only for a server that answers `tools/list` with an
 * event stream: ours answers with JSON until there is something to stream.
 */
export const SERVER_PASSED: Readonly<Record<string, number>> = {
  '2025-03-26': 3,
  '2025-06-18': 56,
  '2025-11-25': 83,
  '2026-07-28': 152,
};

/** Servers, scenarios of extensions, which the suite never runs for a version of the specification. */
export const SERVER_EXTENSIONS: Readonly<Record<string, number>> = {
  'sep-2640-skills-directory': 7,
  'sep-2640-skills-enumeration': 32,
  'sep-2640-skills-manifest': 6,
  'tasks-lifecycle': 9,
  'tasks-capability-negotiation': 5,
  'tasks-wire-fields': 4,
  'tasks-request-state-removal': 3,
  'tasks-mrtr-input': 4,
  'tasks-request-headers': 5,
  'tasks-dispatch-and-envelope': 9,
  // It has one check, which the suite itself skips until it is written anew.
  'tasks-status-notifications': 0,
  'tasks-required-task-error': 3,
  'tasks-mrtr-composition': 2,
};

/** The checks that the suite skips for every server. */
export const SKIPPED = ['tasks-status-notifications'];

/**
 * Clients, every scenario that is not about authorization, so that one which falls silent is noticed. At 2025-03-26 the
 * suite has nothing but authorization.
 */
export const CLIENT_PASSED: Recorded = {
  '2025-03-26': {},
  '2025-06-18': {
    initialize: 2,
    tools_call: 2,
  },
  '2025-11-25': {
    initialize: 2,
    tools_call: 2,
    'elicitation-sep1034-client-defaults': 5,
    'sse-retry': 3,
    'json-schema-2020-12-preservation': 9,
  },
  '2026-07-28': {
    tools_call: 2,
    'request-metadata': 8,
    'sep-2322-client-request-state': 6,
    'http-standard-headers': 9,
    'http-custom-headers': 18,
    'http-invalid-tool-headers': 12,
    'json-schema-ref-no-deref': 1,
    'json-schema-2020-12-preservation': 9,
  },
  extension: {
    'sep-2640-client-no-prefetch': 1,
    'sep-2640-client-verify-digest': 1,
    'sep-2640-client-verify-size': 1,
    'sep-2640-client-verify-frontmatter': 1,
  },
};

/** Clients, every scenario about authorization. */
export const CLIENT_AUTH_PASSED: Recorded = {
  '2025-06-18': {
    'auth/token-endpoint-auth-basic': 21,
    'auth/token-endpoint-auth-post': 21,
    'auth/token-endpoint-auth-none': 21,
  },
  '2025-11-25': {
    'auth/metadata-default': 20,
    'auth/metadata-var1': 20,
    'auth/metadata-var2': 20,
    'auth/metadata-var3': 20,
    'auth/basic-cimd': 15,
    'auth/scope-from-www-authenticate': 16,
    'auth/scope-from-scopes-supported': 16,
    'auth/scope-omitted-when-undefined': 16,
    'auth/scope-step-up': 24,
    'auth/scope-retry-limit': 10,
    'auth/token-endpoint-auth-basic': 21,
    'auth/token-endpoint-auth-post': 21,
    'auth/token-endpoint-auth-none': 21,
    'auth/pre-registration': 15,
  },
  '2026-07-28': {
    'auth/metadata-default': 20,
    'auth/metadata-var1': 20,
    'auth/metadata-var2': 20,
    'auth/metadata-var3': 20,
    'auth/basic-cimd': 14,
    'auth/scope-from-www-authenticate': 16,
    'auth/scope-from-scopes-supported': 16,
    'auth/scope-omitted-when-undefined': 16,
    'auth/scope-step-up': 27,
    'auth/scope-retry-limit': 11,
    'auth/token-endpoint-auth-basic': 21,
    'auth/token-endpoint-auth-post': 21,
    'auth/token-endpoint-auth-none': 21,
    'auth/pre-registration': 14,
    'auth/resource-mismatch': 2,
    'auth/offline-access-scope': 17,
    'auth/offline-access-not-supported': 16,
    'auth/authorization-server-migration': 29,
    'auth/iss-supported': 16,
    'auth/iss-not-advertised': 16,
    'auth/iss-supported-missing': 8,
    'auth/iss-wrong-issuer': 8,
    'auth/iss-unexpected': 8,
    'auth/iss-normalized': 8,
    'auth/metadata-issuer-mismatch': 3,
  },
  '2025-03-26': {
    'auth/2025-03-26-oauth-metadata-backcompat': 14,
    'auth/2025-03-26-oauth-endpoint-fallback': 9,
  },
  extension: {
    'auth/client-credentials-jwt': 10,
    'auth/client-credentials-basic': 10,
    'auth/enterprise-managed-authorization': 11,
    'auth/dpop': 12,
    'auth/dpop-nonce': 14,
    'auth/wif-jwt-bearer': 10,
  },
};

/** These measure how long something takes, so nothing else may run beside them; a busy machine is no failure. */
export const TIMED = ['sse-retry'];
