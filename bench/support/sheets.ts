// The Google account of the benches.
import { UserRefreshClient } from 'google-auth-library';
import type { Credentials } from '../../src/sheets/google/credentials.ts';

/** An account that the stand-in accepts without a key. */
export const benchCredentials: Credentials = {
  account: 'bench',
  createAuthClient: (transporterOptions) =>
    new UserRefreshClient({ clientId: 'c', clientSecret: 's', refreshToken: 'r', transporterOptions }),
};
