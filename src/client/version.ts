/** The version of this package, which clients and hosts name beside their own name. */
export const VERSION = '0.1.0';
