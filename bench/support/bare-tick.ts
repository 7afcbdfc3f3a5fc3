// The least that an idle run can cost which reads its tab: a search of one contact and the cells, asked for and parsed.
import { cpuMs } from './measure.ts';
import type { SyncBench } from './sync.ts';

/** Processor time of one tick in milliseconds, over these tabs in turn. A few ticks before are not counted. */
export async function bareTickMs(
  { crm, google }: SyncBench['urls'],
  tabs: readonly { readonly spreadsheet: string; readonly tab: string }[],
  ticks: number,
): Promise<number> {
  const headers = { authorization: 'Bearer the-key-of-the-bench', 'content-type': 'application/json' };
  const body = JSON.stringify({ filter: {}, limit: 1, offset: 0, order_field: 'updated_at', order_type: 'desc' });
  const json = async (url: string, init: RequestInit = {}) => {
    const response = await fetch(url, init);
    if (!response.ok) throw new Error(`${url} answered ${response.status}`);
    return JSON.parse(await response.text()) as unknown;
  };
  const tick = async (number: number) => {
    const { spreadsheet, tab } = tabs[number % tabs.length]!;
    const range = encodeURIComponent(`'${tab}'`);
    await json(`${crm}/leads/api/leads/search`, { method: 'POST', headers, body });
    await json(`${google}/v4/spreadsheets/${spreadsheet}/values/${range}?valueRenderOption=UNFORMATTED_VALUE`);
  };
  for (let before = 0; before < 4; before += 1) await tick(before);
  const ms = await cpuMs(async () => {
    for (let number = 0; number < ticks; number += 1) await tick(number);
  });
  return ms / ticks;
}
