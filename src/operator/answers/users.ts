// Users of the console, as their list is printed.
import * as z from 'zod';

export const usersAnswer = z.strictObject({
  users: z.array(
    z.strictObject({
      name: z.string(),
      role: z.string().describe('viewer or operator'),
    }),
  ),
});

export type UsersAnswer = z.infer<typeof usersAnswer>;
