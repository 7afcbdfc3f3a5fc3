import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { phases } from '../../src/engine/standing.ts';
import { createMetrics } from '../../src/web/metrics.ts';

/* The files for operators name what the program serves. */

const read = (name: string) => readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8');

/** As a scraper gets them: name -> labels. */
async function served(): Promise<ReadonlyMap<string, readonly string[]>> {
  const metrics = createMetrics({
    status: () => [],
    usage: () => [],
    accountOf: () => undefined,
    now: () => 0,
    isStopping: () => false,
  });
  const found = new Map<string, readonly string[]>();
  for (const [, name = '', kind] of (await metrics.render()).matchAll(/^# TYPE (\S+) (\w+)$/gm)) {
    found.set(name, []);
    if (kind === 'histogram') for (const part of ['_bucket', '_sum', '_count']) found.set(name + part, []);
  }
  return found;
}

interface Rules {
  readonly groups: readonly [{ readonly rules: readonly { readonly alert: string; readonly expr: string }[] }];
}

interface Panel {
  readonly id: number;
  readonly targets: readonly { readonly expr: string }[];
  readonly gridPos: { readonly x: number; readonly w: number };
}

const { rules } = (parse(read('deploy/prometheus/alerts.yaml')) as Rules).groups[0];
const dashboard = JSON.parse(read('deploy/grafana/leadsheet.json')) as {
  readonly panels: readonly Panel[];
  readonly templating: { readonly list: readonly { readonly query: unknown }[] };
};
const shown = dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
const variables = dashboard.templating.list.map(({ query }) => JSON.stringify(query));
const namesIn = (texts: readonly string[]) => [
  ...new Set(texts.flatMap((text) => [...text.matchAll(/\b(?:leadsheet|process|nodejs)_\w+/g)].map(([name]) => name))),
];

test('each metric of the dashboard and of the alerts is served under that name', async () => {
  const names = await served();
  const used = namesIn([...shown, ...variables, ...rules.map(({ expr }) => expr)]);
  expect(used.length).toBeGreaterThan(10);
  expect(used.filter((name) => !names.has(name))).toEqual([]);
});

test('each metric of ours is on the dashboard, and in the table of docs/operations.md', async () => {
  const ours = [...(await served()).keys()].filter(
    (name) => name.startsWith('leadsheet_') && !/_(?:sum|count|bucket)$/.test(name),
  );
  expect(ours.length).toBeGreaterThan(10);
  const onIt = new Set(namesIn(shown).map((name) => name.replace(/_bucket$/, '')));
  expect(ours.filter((name) => !onIt.has(name))).toEqual([]);
  const table = [...read('docs/operations.md').matchAll(/^\| `(leadsheet_\w+)` \|/gm)].map(([, name]) => name!);
  expect(table.toSorted()).toEqual(ours.toSorted());
});

test('values of labels in queries are values that there are', () => {
  const texts = [...shown, ...rules.map(({ expr }) => expr)].join('\n');
  const valuesOf = (label: string) =>
    [...texts.matchAll(new RegExp(`\\b${label}=~?"([^"$]+)"`, 'g'))].flatMap(([, value = '']) => value.split('|'));
  const source =
    read('src/web/metrics.ts') +
    read('src/engine/stored/run.ts') +
    read('src/daemon/queue/port.ts') +
    read('src/web/hooks.ts');
  expect(valuesOf('phase').filter((value) => !phases.some((phase) => phase === value))).toEqual([]);
  const others = ['status', 'kind', 'answer'].flatMap(valuesOf);
  expect(others.length).toBeGreaterThan(4);
  expect(others.filter((value) => !source.includes(`'${value}'`))).toEqual([]);
});

test('the runbook has a part for each alert, and panels stand beside each other', () => {
  const runbook = read('docs/runbook.md');
  expect(rules.filter(({ alert }) => !runbook.includes(`| \`${alert}\` |`)).map(({ alert }) => alert)).toEqual([]);
  expect(new Set(dashboard.panels.map(({ id }) => id)).size).toBe(dashboard.panels.length);
  for (const { gridPos } of dashboard.panels) expect(gridPos.x + gridPos.w).toBeLessThanOrEqual(24);
});

test('the unit of systemd gives time to end, does not repeat a wrong configuration, and takes away rights', () => {
  const unit = read('deploy/systemd/leadsheet.service');
  const value = (name: string) => new RegExp(`^${name}=(.*)$`, 'm').exec(unit)?.[1];
  expect(Number(value('TimeoutStopSec'))).toBeGreaterThan(10);
  expect(value('RestartPreventExitStatus')).toBe('64 78');
  expect(value('ExecStart')).toBe('/usr/bin/env leadsheet run');
  for (const name of ['NoNewPrivileges', 'ProtectSystem', 'PrivateTmp', 'UMask']) expect(value(name)).toBeDefined();
});
