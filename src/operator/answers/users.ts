// Users of the console, as their list is printed.
import * as z from 'zod';

export const usersAnswer = z.strictObject({
  users: z.array(
    z.strictObject({
      name: z.string(),
      role: z.string().describe('viewer or operator'),
      accounts: z.array(z.string()).nullable().describe('what the person sees; null: all accounts'),
    }),
  ),
});

export type UsersAnswer = z.infer<typeof usersAnswer>;
