// The least that a sync can cost: asks for the same pages and cells through `fetch`, and parses the answers. A program of its own and
// JavaScript, so that nothing else is measured.
// Arguments: what the sync has to do (`unchanged`, `changed`, `first`), the addresses of the service and of Google, the spreadsheet.

const [what, crm, google, spreadsheet] = process.argv.slice(-4);
const json = { accept: 'application/json', 'content-type': 'application/json' };

async function answerOf(url, init) {
  const response = await fetch(url, init);
  if (!response.ok) throw new Error(`${url} answered ${response.status}`);
  return JSON.parse(await response.text());
}

async function search(limit, offset, from) {
  const body = {
    filter: from === undefined ? {} : { created_at: { '>=': from } },
    limit,
    offset,
    order_field: 'created_at',
    order_type: 'asc',
    disable_aggregation: true,
  };
  const headers = { ...json, authorization: 'Bearer the-key-of-the-bench' };
  const { data } = await answerOf(`${crm}/leads/api/leads/search`, {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
  });
  return data;
}

/** Every contact. The service shows 9,000 of one search. */
async function searchAll() {
  const found = new Map();
  for (let from; ;) {
    let page = [];
    for (let offset = 0; offset < 9_000; offset += 100) {
      page = await search(100, offset, from);
      for (const contact of page) found.set(contact.uuid, contact);
      if (page.length < 100) return [...found.values()];
    }
    from = page.at(-1).created_at;
  }
}

const values = `${google}/v4/spreadsheets/${spreadsheet}/values/Bench`;
if (what === 'first') {
  const contacts = await searchAll();
  for (let from = 0; from < contacts.length; from += 1_000) {
    const rows = contacts.slice(from, from + 1_000).map((contact) => Object.values(contact).slice(0, 13).map(String));
    const body = JSON.stringify({ values: rows });
    await answerOf(`${values}:append?valueInputOption=RAW`, { method: 'POST', headers: json, body });
  }
} else {
  await search(what === 'changed' ? 100 : 1, 0);
  await answerOf(`${values}?valueRenderOption=UNFORMATTED_VALUE`);
}
