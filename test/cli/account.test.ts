import { expect, test } from 'vitest';
import { accountName } from '../../src/cli/account.ts';

const noEntry = () => {
  throw Object.assign(new Error('A system error occurred: uv_os_get_passwd returned ENOENT'), {
    code: 'ERR_SYSTEM_ERROR',
  });
};

test.each([
  { what: 'the system knows the account', readName: () => 'ann', uid: 1000, account: 'ann' },
  { what: 'a container runs under a uid without a name', readName: noEntry, uid: 65_532, account: 'uid 65532' },
  { what: 'the name is blank', readName: () => '', uid: 0, account: 'uid 0' },
  { what: 'there is neither name nor uid', readName: noEntry, uid: undefined, account: 'unknown account' },
])('the account that a decision is recorded under: $what', ({ readName, uid, account }) => {
  expect(accountName(readName, uid)).toBe(account);
});
