// The grid in the browser. Only the visible rows are fetched and drawn, so a tab may have any length.
const { spreadsheet, token } = document.body.dataset;
const api = `/v4/spreadsheets/${spreadsheet}`;
const rowHeightPx = 26;
const rowsAround = 20;
const pollMs = 800;

const byId = (id) => document.getElementById(id);
const scroller = byId('scroller');
const entry = byId('entry');

// `#gid=7&range=A17`, as in an address of Google Sheets.
const asked = new URLSearchParams(location.hash.slice(1));

const state = {
  version: -1,
  sheets: [],
  sheetId: Number(asked.get('gid')) || 0,
  // The drawn rows and their contents.
  first: 0,
  rows: [],
  rowMetadata: [],
  columnMetadata: [],
  selected: { row: 0, column: 0 },
  editing: false,
  showHidden: false,
};

function columnLetters(index) {
  let letters = '';
  for (let rest = index + 1; rest > 0; rest = Math.floor((rest - 1) / 26)) {
    letters = String.fromCodePoint(65 + ((rest - 1) % 26)) + letters;
  }
  return letters;
}

const sheet = () => state.sheets.find(({ sheetId }) => sheetId === state.sheetId) ?? state.sheets[0];
const quoted = (title) => `'${title.replaceAll("'", "''")}'`;
const address = ({ row, column }) => `${columnLetters(column)}${row + 1}`;

async function call(path, options = {}) {
  const response = await fetch(path, {
    ...options,
    headers: { authorization: `Bearer ${token}`, ...(options.body ? { 'content-type': 'application/json' } : {}) },
  });
  const body = await response.json();
  if (!response.ok) throw new Error(body.error?.message ?? `status ${response.status}`);
  return body;
}

function say(text, isError = false) {
  const status = byId('status');
  status.textContent = text;
  status.classList.toggle('error', isError);
}

/** Runs an action and shows its error. */
async function attempt(action) {
  try {
    await action();
    say('');
  } catch (error) {
    say(error instanceof Error ? error.message : String(error), true);
  }
}

async function loadSheets() {
  const { sheets = [] } = await call(`${api}?fields=sheets(properties)`);
  state.sheets = sheets.map(({ properties }) => properties).filter(({ hidden }) => !hidden || state.showHidden);
  drawTabs();
}

async function loadRows() {
  const current = sheet();
  if (!current) return;
  const { rowCount, columnCount } = current.gridProperties;
  const top = Math.floor(scroller.scrollTop / rowHeightPx);
  const visible = Math.ceil(scroller.clientHeight / rowHeightPx);
  const first = Math.max(0, Math.min(top, rowCount - 1) - rowsAround);
  const last = Math.min(rowCount, top + visible + rowsAround);
  const range = `${quoted(current.title)}!A${first + 1}:${columnLetters(columnCount - 1)}${last}`;
  const cell = 'values(formattedValue,userEnteredValue,effectiveValue,note,userEnteredFormat/textFormat/bold)';
  const fields = `sheets/data(rowData(${cell}),rowMetadata(hiddenByUser,hiddenByFilter),columnMetadata(hiddenByUser,pixelSize))`;
  const query = new URLSearchParams({ ranges: range, fields, prettyPrint: 'false' });
  const { sheets } = await call(`${api}?${query}`);
  const { rowData = [], rowMetadata = [], columnMetadata = [] } = sheets[0].data[0];
  Object.assign(state, { first, rows: rowData, rowMetadata, columnMetadata });
  if (!state.editing) draw();
}

async function reload() {
  await loadSheets();
  await loadRows();
}

/** Reads again only if the spreadsheet has changed. */
async function poll() {
  try {
    const response = await fetch(`/_standin/spreadsheets/${spreadsheet}`);
    if (!response.ok) throw new Error('The spreadsheet is gone.');
    const { version } = await response.json();
    if (version !== state.version) {
      const isFirst = state.version === -1;
      state.version = version;
      await reload();
      if (isFirst) selectAsked();
    }
    if (byId('status').textContent === unreachable) say('');
  } catch (error) {
    say(error instanceof TypeError ? unreachable : error.message, true);
  }
  setTimeout(poll, pollMs);
}
const unreachable = 'The server does not answer.';

function element(name, text = '', ...classes) {
  const created = document.createElement(name);
  created.textContent = text;
  created.classList.add(...classes.filter(Boolean));
  return created;
}

function drawTabs() {
  byId('tabs').replaceChildren(
    ...state.sheets.map((properties) => {
      const button = element('button', properties.title);
      button.type = 'button';
      button.setAttribute('role', 'tab');
      button.setAttribute('aria-selected', String(properties === sheet()));
      button.addEventListener('click', () => {
        state.sheetId = properties.sheetId;
        location.hash = `gid=${properties.sheetId}`;
        scroller.scrollTop = 0;
        void attempt(reload);
      });
      return button;
    }),
  );
}

function columnsShown() {
  const shown = [];
  let skipped = false;
  for (const [column, { hiddenByUser, pixelSize }] of state.columnMetadata.entries()) {
    if (hiddenByUser && !state.showHidden) {
      skipped = true;
      continue;
    }
    shown.push({ column, width: pixelSize ?? 100, hidden: hiddenByUser === true, afterHidden: skipped });
    skipped = false;
  }
  return shown;
}

function draw() {
  const current = sheet();
  const columns = columnsShown();
  const table = element('table');
  const group = element('colgroup');
  for (const width of [52, ...columns.map((column) => column.width)]) {
    const col = element('col');
    col.style.width = `${width}px`;
    group.append(col);
  }
  const head = element('tr');
  head.append(element('th'));
  for (const { column, hidden, afterHidden } of columns) {
    const th = element('th', columnLetters(column), hidden && 'hidden', afterHidden && 'after-hidden');
    th.dataset.column = column;
    head.append(th);
  }
  const thead = element('thead');
  thead.append(head);
  const tbody = element('tbody');
  // Space for the rows above the drawn ones.
  const room = element('tr');
  room.style.height = `${state.first * rowHeightPx}px`;
  tbody.append(
    room,
    ...state.rowMetadata.map((band, offset) => drawRow(state.first + offset, band, columns)).filter(Boolean),
  );
  table.append(group, thead, tbody);
  const spacer = element('div', '', 'spacer');
  spacer.style.height = `${(current.gridProperties.rowCount + 2) * rowHeightPx}px`;
  spacer.append(table);
  const { scrollTop, scrollLeft } = scroller;
  scroller.replaceChildren(spacer);
  scroller.scrollTo(scrollLeft, scrollTop);
  markSelection();
}

function drawRow(row, { hiddenByUser, hiddenByFilter }, columns) {
  const hidden = hiddenByUser || hiddenByFilter;
  if (hidden && !state.showHidden) return undefined;
  const tr = element('tr', '', hidden && 'hidden');
  const th = element('th', String(row + 1));
  th.dataset.row = row;
  tr.append(th, ...columns.map(({ column, hidden: hiddenColumn }) => drawCell(row, column, hiddenColumn)));
  return tr;
}

const cellAt = (row, column) => state.rows[row - state.first]?.values?.[column] ?? {};

function drawCell(row, column, hidden) {
  const { formattedValue = '', effectiveValue = {}, note, userEnteredFormat } = cellAt(row, column);
  const td = element(
    'td',
    formattedValue,
    hidden && 'hidden',
    effectiveValue.numberValue !== undefined && 'number',
    effectiveValue.errorValue && 'error',
    note && 'noted',
    userEnteredFormat?.textFormat?.bold && 'bold',
  );
  td.dataset.row = row;
  td.dataset.column = column;
  td.title = effectiveValue.errorValue?.message ?? note ?? '';
  return td;
}

const selectedCell = () => {
  const { row, column } = state.selected;
  return scroller.querySelector(`td[data-row="${row}"][data-column="${column}"]`);
};

/** The entered text of a cell, as it would be typed again. */
function entered({ row, column }) {
  const { userEnteredValue = {}, formattedValue = '' } = cellAt(row, column);
  if (userEnteredValue.formulaValue !== undefined) return userEnteredValue.formulaValue;
  const text = userEnteredValue.stringValue;
  // Text that typing would convert needs its apostrophe.
  if (text !== undefined && /^[=+'\d-]/.test(text)) return `'${text}`;
  return text ?? formattedValue;
}

function markSelection() {
  for (const marked of scroller.querySelectorAll('.selected')) marked.classList.remove('selected');
  const { row, column } = state.selected;
  selectedCell()?.classList.add('selected');
  scroller.querySelector(`th[data-row="${row}"]`)?.classList.add('selected');
  scroller.querySelector(`th[data-column="${column}"]`)?.classList.add('selected');
  byId('address').textContent = address(state.selected);
  if (document.activeElement !== entry) entry.value = entered(state.selected);
}

function select(row, column) {
  const { rowCount, columnCount } = sheet().gridProperties;
  state.selected = {
    row: Math.max(0, Math.min(row, rowCount - 1)),
    column: Math.max(0, Math.min(column, columnCount - 1)),
  };
  const top = state.selected.row * rowHeightPx;
  if (top < scroller.scrollTop) scroller.scrollTop = top;
  const bottom = top + 2 * rowHeightPx;
  if (bottom > scroller.scrollTop + scroller.clientHeight) scroller.scrollTop = bottom - scroller.clientHeight;
  selectedCell()?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  markSelection();
}

/** The row of the address that the page was opened with. */
function selectAsked() {
  const [, row] = /^[A-Z]+([1-9]\d*)/.exec(asked.get('range') ?? '') ?? [];
  if (row !== undefined) select(Number(row) - 1, 0);
}

/** The next column in a direction that is not hidden. */
function stepColumn(by) {
  const shown = columnsShown().map(({ column }) => column);
  const at = shown.indexOf(state.selected.column);
  return shown[Math.max(0, Math.min(at + by, shown.length - 1))] ?? 0;
}

async function save({ row, column }, values) {
  const range = encodeURIComponent(`${quoted(sheet().title)}!${address({ row, column })}`);
  await call(`${api}/values/${range}?valueInputOption=USER_ENTERED`, {
    method: 'PUT',
    body: JSON.stringify({ values }),
  });
  await loadRows();
}

async function batch(...requests) {
  await call(`${api}:batchUpdate`, { method: 'POST', body: JSON.stringify({ requests }) });
  await reload();
}

function edit(initial) {
  const td = selectedCell();
  if (!td || state.editing) return;
  const at = { ...state.selected };
  const input = element('input');
  input.value = initial ?? entered(at);
  state.editing = true;
  td.replaceChildren(input);
  input.focus();
  const end = (keep) => {
    if (!state.editing) return;
    state.editing = false;
    const text = input.value;
    if (keep && text !== entered(at)) {
      td.textContent = text;
      void attempt(() => save(at, [[text]]));
    } else {
      draw();
    }
    scroller.focus();
  };
  input.addEventListener('blur', () => end(true));
  input.addEventListener('keydown', (event) => {
    if (event.isComposing) return;
    if (event.key === 'Escape') end(false);
    else if (event.key === 'Enter') {
      end(true);
      select(at.row + 1, at.column);
    } else if (event.key === 'Tab') {
      event.preventDefault();
      end(true);
      select(at.row, stepColumn(event.shiftKey ? -1 : 1));
    }
    event.stopPropagation();
  });
}

const moves = {
  ArrowUp: () => select(state.selected.row - 1, state.selected.column),
  ArrowDown: () => select(state.selected.row + 1, state.selected.column),
  ArrowLeft: () => select(state.selected.row, stepColumn(-1)),
  ArrowRight: () => select(state.selected.row, stepColumn(1)),
  Tab: () => select(state.selected.row, stepColumn(1)),
  Enter: () => edit(),
  F2: () => edit(),
  Delete: () => void attempt(() => save(state.selected, [['']])),
  Backspace: () => void attempt(() => save(state.selected, [['']])),
};

scroller.addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const move = moves[event.key];
  if (move) move();
  else if (event.key.length === 1) edit(event.key);
  else return;
  event.preventDefault();
});
scroller.addEventListener('mousedown', ({ target }) => {
  const { row, column } = target.closest('td, th')?.dataset ?? {};
  if (row !== undefined || column !== undefined) {
    select(Number(row ?? state.selected.row), Number(column ?? state.selected.column));
  }
});
scroller.addEventListener('dblclick', ({ target }) => target.closest('td') && edit());
scroller.addEventListener('copy', (event) => {
  event.clipboardData.setData('text/plain', cellAt(state.selected.row, state.selected.column).formattedValue ?? '');
  event.preventDefault();
});
scroller.addEventListener('paste', (event) => {
  const text = event.clipboardData.getData('text/plain').replace(/\r?\n$/, '');
  event.preventDefault();
  void attempt(() =>
    save(
      state.selected,
      text.split(/\r?\n/).map((line) => line.split('\t')),
    ),
  );
});

let scrolled;
scroller.addEventListener('scroll', () => {
  const top = Math.floor(scroller.scrollTop / rowHeightPx);
  const bottom = top + Math.ceil(scroller.clientHeight / rowHeightPx);
  const drawn = state.first + state.rowMetadata.length;
  const enough = top >= state.first && (bottom <= drawn || drawn >= (sheet()?.gridProperties.rowCount ?? 0));
  if (enough || state.editing) return;
  clearTimeout(scrolled);
  scrolled = setTimeout(() => void attempt(loadRows), 30);
});
window.addEventListener('resize', () => void attempt(loadRows));

// The text of the field at the beginning: only a change is saved.
let entryBefore = '';
entry.addEventListener('focus', () => {
  entryBefore = entry.value;
});
entry.addEventListener('keydown', ({ key }) => {
  if (key === 'Escape') {
    entry.value = entered(state.selected);
    scroller.focus();
  } else if (key === 'Enter') {
    const text = entry.value;
    const at = { ...state.selected };
    if (text !== entryBefore) void attempt(() => save(at, [[text]]));
    scroller.focus();
    select(state.selected.row + 1, state.selected.column);
  }
});

const rowRange = () => ({
  sheetId: sheet().sheetId,
  dimension: 'ROWS',
  startIndex: state.selected.row,
  endIndex: state.selected.row + 1,
});
const sortBy = (sortOrder) => {
  // The first row is the header, unless more rows are frozen.
  const startRowIndex = sheet().gridProperties.frozenRowCount ?? 1;
  const range = { sheetId: sheet().sheetId, startRowIndex };
  return batch({ sortRange: { range, sortSpecs: [{ dimensionIndex: state.selected.column, sortOrder }] } });
};
const onClick = (id, action) => byId(id).addEventListener('click', () => void attempt(action));
onClick('insert-row', () => batch({ insertDimension: { range: rowRange() } }));
onClick('delete-row', () => batch({ deleteDimension: { range: rowRange() } }));
onClick('sort-up', () => sortBy('ASCENDING'));
onClick('sort-down', () => sortBy('DESCENDING'));
byId('show-hidden').addEventListener('change', ({ target }) => {
  state.showHidden = target.checked;
  void attempt(reload);
});
byId('files').addEventListener('change', ({ target }) => location.assign(`/${target.value}`));

void poll();
