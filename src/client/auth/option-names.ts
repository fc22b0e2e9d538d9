import type { OptionNames } from '../../base/options.js';
import type { ClientCredentialsOptions } from './client-credentials.js';
import type { EnterpriseOptions } from './enterprise.js';
import type { CommonOptions, SignInOptions } from './methods.js';
import type { WorkloadIdentityOptions } from './workload-identity.js';

const COMMON: OptionNames<CommonOptions> = {
  dpop: 1,
  allowPrivateAddresses: 1,
  account: 1,
  onWarning: 'a function',
  store: 'an object',
  fetch: 'a function',
};

export const SIGN_IN_OPTIONS: OptionNames<SignInOptions> = {
  ...COMMON,
  client: 1,
  clientMetadataUrl: 1,
  clientName: 1,
  register: 1,
  redirect: 1,
  scopes: 1,
};

export const CLIENT_CREDENTIALS_OPTIONS: OptionNames<ClientCredentialsOptions & CommonOptions> = {
  ...COMMON,
  id: 1,
  secret: 1,
  method: 1,
  privateKey: 1,
  algorithm: 1,
  issuer: 1,
  scopes: 1,
};

export const WORKLOAD_IDENTITY_OPTIONS: OptionNames<WorkloadIdentityOptions & CommonOptions> = {
  ...COMMON,
  clientId: 1,
  assertion: 1,
  issuer: 1,
  scopes: 1,
};

export const ENTERPRISE_OPTIONS: OptionNames<EnterpriseOptions & CommonOptions> = {
  ...COMMON,
  client: 1,
  identityProvider: 1,
  idToken: 1,
  scopes: 1,
};
