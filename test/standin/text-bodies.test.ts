import { describe, expect, test } from 'vitest';
import { createJsonResponse, createTextRequest, createTextResponse } from '../../src/standin/text-bodies.ts';

const url = 'http://127.0.0.1:4010/a b?c=d';
const texts = ['', 'plain', '{"a":1}', '\uFEFFmarked', 'half \uD83D of a pair', 'ä'];

describe('a response whose body is a text', () => {
  test.each(texts)('shows %j as one of fetch does', async (text) => {
    const init = { status: 201, headers: { vary: 'Origin' } };
    const [light, real] = [createTextResponse(text, init), new Response(text, init)];
    expect([light.status, light.ok, light.statusText, [...light.headers]]).toEqual([
      real.status,
      real.ok,
      real.statusText,
      [...real.headers],
    ]);
    expect(await light.text()).toBe(await real.text());
  });

  test('without a body has no type and no stream', async () => {
    const light = createTextResponse(null, { status: 204 });
    expect([light.body, [...light.headers], await light.text()]).toEqual([null, [], '']);
  });

  test('answers what else is asked as a real one', async () => {
    const light = createJsonResponse({ a: 1 }, { status: 404 });
    expect(light.clone()).toBeInstanceOf(Response);
    expect([light.type, light.redirected, await light.json()]).toEqual(['default', false, { a: 1 }]);
    expect(light.bodyUsed).toBe(true);
    expect([...new Response(createJsonResponse(1).body, light).headers]).toEqual([
      ['content-type', 'application/json'],
    ]);
  });

  test('is read once, in whatever way', async () => {
    const light = createTextResponse('a');
    await light.text();
    await expect(light.text()).rejects.toThrow(TypeError);
    expect(() => light.body).toThrow(TypeError);
    expect([light.statusText, light.bodyUsed]).toEqual(['', true]);
    const other = createTextResponse('a');
    await other.blob();
    await expect(other.text()).rejects.toThrow(TypeError);
  });
});

describe('a request whose body is a text', () => {
  test.each(texts)('shows %j as one of fetch does, and its length', async (body) => {
    const init = { method: 'POST', headers: { accept: '*/*' }, body };
    const [light, real] = [createTextRequest(url, init), new Request(url, init)];
    expect([light.url, light.method]).toEqual([real.url, real.method]);
    expect(light).toBeInstanceOf(Request);
    const bytes = (await real.clone().arrayBuffer()).byteLength;
    expect(Object.fromEntries(light.headers)).toEqual({
      ...Object.fromEntries(real.headers),
      'content-length': String(bytes),
    });
    expect(await light.text()).toBe(await real.text());
  });

  test('has the signal of its caller, and without one a signal that never fires', () => {
    const { signal } = new AbortController();
    expect(createTextRequest(url, { signal }).signal).toBe(signal);
    expect(createTextRequest(url).signal.aborted).toBe(false);
  });

  test('is passed on by fetch as a real one is', async () => {
    const light = createTextRequest(url, { method: 'put', body: 'a' });
    expect(await new Request(light.clone()).text()).toBe('a');
    expect([light.method, light.redirect]).toEqual(['PUT', 'follow']);
  });
});
