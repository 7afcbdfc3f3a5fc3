// The order of the pages, by the role of the reader. npm run docs:check finds pages that are missing here.

interface Part {
  readonly text: string;
  readonly items: readonly { readonly text: string; readonly link: string }[];
}

const page = (text: string, name: string) => ({ text, link: `/docs/${name}` });

export const navigation: readonly Part[] = [
  {
    text: 'Start',
    items: [
      { text: 'What it is', link: '/' },
      page('A trial', 'trial'),
      page('Installing', 'install'),
      page('Setting up', 'setup'),
    ],
  },
  {
    text: 'Work with the sheet',
    items: [
      page('How it decides', 'how-it-decides'),
      page('Mapping columns', 'mapping'),
      page('What a row says', 'status'),
      page('Automations', 'enrolment'),
      page('Messages', 'outbox'),
      page('Mirrored tabs', 'feeds'),
      page('The console', 'console'),
    ],
  },
  {
    text: 'Run it',
    items: [
      page('Operating', 'operations'),
      page('Runbook', 'runbook'),
      page('Upgrading', 'upgrade'),
      page('State and backup', 'state'),
      page('Hooks', 'hooks'),
      page('Many clients', 'accounts'),
      page('Many machines', 'fleet'),
      page('Operating systems', 'platforms'),
      { text: 'Security', link: '/SECURITY' },
    ],
  },
  {
    text: 'Look it up',
    items: [
      page('Commands', 'commands'),
      page('Configuration', 'configuration'),
      page('Errors', 'errors'),
      page('Known limits', 'known-limits'),
      page('Words', 'glossary'),
      page('Rules', 'SPEC'),
      page('Figures', 'performance'),
      { text: 'Changes', link: '/CHANGELOG' },
    ],
  },
  {
    text: 'Work on it',
    items: [
      { text: 'Contributing', link: '/CONTRIBUTING' },
      page('Architecture', 'ARCHITECTURE'),
      page('Tests', 'testing'),
      page('What tests found', 'testing-found'),
      page('What was run', 'testing-figures'),
      page('Decisions', 'decisions'),
      page('Releases', 'releasing'),
      page('The service', 'service'),
      page('The spreadsheet', 'spreadsheet'),
      page('Stand-in of the service', 'standin'),
      page('Stand-in of Google Sheets', 'standin-sheets'),
      { text: 'Code of conduct', link: '/CODE_OF_CONDUCT' },
    ],
  },
];

/** The file of a page, from the root of the repository. */
export function fileOf(link: string): string {
  return link === '/' ? 'README.md' : `${link.slice(1)}.md`;
}
