// Checks where a person is sent after a login: a page of ours, and nothing else.

/** A base that no address of ours has. */
const base = 'http://console.invalid';

/** The path with its query; `/` for anything that leads elsewhere, such as `//evil`, `/\evil` or `https:evil`. */
export function localPath(given: string | undefined): string {
  // Browsers read a backslash as a slash, and leave out tabs and line ends.
  // oxlint-disable-next-line no-control-regex -- these are what it looks for
  if (given === undefined || !/^\/(?![/\\])[^\\\u0000-\u001f\u007f]*$/.test(given)) return '/';
  const url = URL.parse(given, base);
  if (url === null || url.origin !== base) return '/';
  // `/.//evil` becomes `//evil`, which is another host.
  if (url.pathname.startsWith('//')) return '/';
  return ['/login', '/logout'].includes(url.pathname) ? '/' : `${url.pathname}${url.search}`;
}
