// The pictures of the docs that npm run screenshots takes. npm run docs:check finds any other.

export const looks = [
  { name: 'desktop-light', colorScheme: 'light', width: 1_200, height: 760 },
  { name: 'desktop-dark', colorScheme: 'dark', width: 1_200, height: 760 },
  { name: 'phone-light', colorScheme: 'light', width: 390, height: 760 },
  { name: 'phone-dark', colorScheme: 'dark', width: 390, height: 760 },
] as const;

/** What docs/console.md and the README show. */
export const inDocs: Readonly<Record<string, readonly string[]>> = {
  jobs: looks.map(({ name }) => name),
  job: ['desktop-light'],
  runs: ['desktop-dark'],
  run: ['desktop-light', 'phone-dark'],
  search: ['desktop-light'],
  record: ['desktop-light', 'phone-light'],
  conflicts: ['phone-light'],
  problems: ['desktop-light', 'phone-dark'],
  feeds: ['desktop-light'],
  feed: ['desktop-dark'],
  log: ['desktop-light', 'phone-dark'],
  budgets: ['desktop-light', 'desktop-dark'],
  config: ['desktop-light', 'phone-light'],
  'scene-conflicts': ['desktop-light'],
  'scene-held': ['desktop-light', 'phone-light'],
  'scene-undo': ['desktop-light', 'phone-dark'],
  'scene-outbox': ['desktop-light', 'phone-dark'],
  'scene-enrolments': ['desktop-dark', 'phone-light'],
  'scene-login': ['desktop-light', 'phone-dark'],
  'scene-audit': ['desktop-light'],
  'scene-logins': ['desktop-light'],
  'scene-sessions': ['desktop-dark'],
  'scene-wide-run': ['phone-dark'],
  'scene-feed-held': ['desktop-light'],
  'fleet-jobs': ['desktop-dark'],
  'fleet-workers': ['desktop-light'],
};

interface SheetPicture {
  readonly path: string;
  readonly tab: string;
  readonly height: number;
}

/** Pictures of the spreadsheet of the trial, from the root of the repository. */
export const sheetsInDocs: readonly SheetPicture[] = [
  { path: 'docs/trial.png', tab: 'Prospects', height: 430 },
  { path: 'docs/trial-automations.png', tab: 'Automations', height: 290 },
];

/** Every picture that is made by a script, from the root of the repository. */
export const madePictures: readonly string[] = [
  ...Object.entries(inDocs).flatMap(([name, shown]) => shown.map((look) => `docs/console/${name}-${look}.png`)),
  ...sheetsInDocs.map(({ path }) => path),
  // npm run demo
  'docs/demo/terminal.svg',
  'docs/demo/console.png',
  // npm run bench -- lag
  'docs/lag.svg',
  // npm run soak
  'docs/soak.svg',
];
