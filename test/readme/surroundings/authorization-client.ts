import { bistroUrl } from './bistro.js';

export const url = bistroUrl;
export const session = { idToken: 'eyJ' };
