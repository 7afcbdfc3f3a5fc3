// People who look at the console: open event streams, and one page a second. A process of its own, so that its cost is not
// measured. Tells its parent once all streams are open.
const [url = '', streams = '20'] = process.argv.slice(2);

async function follow(opened: () => void): Promise<void> {
  const answer = await fetch(`${url}/events`);
  if (answer.status !== 200) throw new Error(`a stream was answered with ${answer.status}`);
  opened();
  for await (const chunk of answer.body!) void chunk;
}

const opening = Array.from(
  { length: Number(streams) },
  () => new Promise<void>((resolve, reject) => void follow(resolve).catch(reject)),
);
await Promise.all(opening);
const pages = ['/', '/runs', '/log', '/problems'];
let next = 0;
setInterval(() => {
  void fetch(`${url}${pages[next % pages.length]}`).then((answer) => answer.text());
  next += 1;
}, 1_000);
process.on('disconnect', () => process.exit());
process.send?.('open');
