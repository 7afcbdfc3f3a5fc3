import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { hideAddresses } from '../../src/log/mask.ts';

test('addresses are hidden, except those of service accounts', () => {
  expect(hideAddresses('refused: ann@firm.io, "bob.b+x@firm.co.uk" and (cy@x).')).toBe(
    'refused: [e-mail], "[e-mail]" and (cy@x).',
  );
  expect(hideAddresses('share it with robot@demo.iam.gserviceaccount.com.')).toBe(
    'share it with robot@demo.iam.gserviceaccount.com.',
  );
});

test('an endless text that is no address takes no time', () => {
  for (const unit of ['a', '@', 'a@', 'a.', '.', 'a@b.', '@.', ' ']) {
    const text = `${unit.repeat(1_000_000 / unit.length)} `;
    expect(hideAddresses(text).length).toBeLessThanOrEqual(text.length);
  }
});

test('the hidden parts are those that one expression for the whole address finds', () => {
  const atOnce = (text: string) =>
    text.replaceAll(/[^\s"'<>(),;:]+@[^\s"'<>(),;:]+\.\w+/g, (address) =>
      address.endsWith('.gserviceaccount.com') ? address : '[e-mail]',
    );
  const unit = fc.constantFrom('a', 'b', '@', '.', '-', '_', '7', 'ü', ' ', ',', '\n', '.gserviceaccount.com');
  const text = fc.array(unit, { maxLength: 30 }).map((units) => units.join(''));
  fc.assert(
    fc.property(text, (said) => {
      expect(hideAddresses(said)).toBe(atOnce(said));
    }),
    { numRuns: 3_000, seed: 1 },
  );
});
