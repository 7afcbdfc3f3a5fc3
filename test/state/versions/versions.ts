// The versions whose state is kept as fixtures. No release is tagged yet: each is the commit that changed what a state holds.

export interface Version {
  /** The day of the commit, and the commit: the name of the folder. */
  readonly name: string;
  readonly commit: string;
  /** Of documents and logs. */
  readonly schema: 1 | 2;
  readonly what: string;
}

export const versions: readonly Version[] = [
  { name: '2026-11-22-f0b5e3b', commit: 'f0b5e3b7', schema: 1, what: 'the ledger is called `enrolments`' },
  {
    name: '2026-11-22-5818ff1',
    commit: '5818ff1c',
    schema: 2,
    what: 'the ledger is called `ledger`, and there is `setAside`',
  },
  { name: '2026-11-22-61ff517', commit: '61ff5179', schema: 2, what: 'reports of runs are kept' },
  {
    name: '2026-11-22-2b4726d',
    commit: '2b4726d7',
    schema: 2,
    what: 'rows that the spreadsheet refused are remembered',
  },
  { name: '2026-11-22-240cd0e', commit: '240cd0e7', schema: 2, what: 'the history says what an undo needs' },
  { name: '2026-11-22-946da93', commit: '946da931', schema: 2, what: 'leases have epochs' },
  { name: '2026-11-22-48d52e4', commit: '48d52e49', schema: 2, what: 'the ledger has cancelled wishes' },
  { name: '2026-11-23-738b1e5', commit: '738b1e5b', schema: 2, what: 'links keep when a lookup showed their contact' },
  { name: '2026-11-26-04e6843', commit: '04e68437', schema: 2, what: 'lines of the history have no checksum yet' },
  { name: '2026-11-26-9b2f959', commit: '9b2f9592', schema: 2, what: 'lines of the history have a checksum' },
  { name: '2026-11-26-4eb5dc8', commit: '4eb5dc80', schema: 2, what: 'the filter of contacts is remembered' },
  { name: '2026-11-26-d05bf49', commit: 'd05bf495', schema: 2, what: 'a message whose yes is gone is noted' },
  {
    name: '2026-11-26-b3ea2fe',
    commit: 'b3ea2fe2',
    schema: 2,
    what: 'the ledger says of whom no emptied cell takes out',
  },
  { name: '2026-11-27-f68ea6f', commit: 'f68ea6f3', schema: 2, what: 'what blanks meant is remembered' },
  { name: '2026-11-27-1f55789', commit: '1f557898', schema: 2, what: 'what is left of moved cells is remembered' },
  {
    name: '2026-11-27-d0eb73c',
    commit: 'd0eb73ca',
    schema: 2,
    what: 'the ledger says of which sent message the yes is gone',
  },
  {
    name: '2026-11-27-5666e67',
    commit: '5666e672',
    schema: 2,
    what: 'what a side held before a write of unknown outcome is remembered',
  },
  {
    name: '2026-11-28-16bf877',
    commit: '16bf877f',
    schema: 2,
    what: 'an answer about a row says that the filter leaves its contact out',
  },
  {
    name: '2026-11-28-e2a5f4d',
    commit: 'e2a5f4d0',
    schema: 2,
    what: 'what rows are given that are appended for the first time is noted',
  },
  {
    name: '2026-11-29-0c32924',
    commit: '0c329243',
    schema: 2,
    what: 'rows note whose they may be, and what a lost create sent',
  },
];
