import { UserRefreshClient } from 'google-auth-library';
import type { Credentials } from '../../src/sheets/google/credentials.ts';

/** An account the stand-in believes, so that no key has to be made. */
export const benchCredentials: Credentials = {
  account: 'bench',
  createAuthClient: (transporterOptions) =>
    new UserRefreshClient({ clientId: 'c', clientSecret: 's', refreshToken: 'r', transporterOptions }),
};
