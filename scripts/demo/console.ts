// The demo of the console: a walk through its pages in a browser, as an animated picture (APNG).
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import chromium from '@sparticuz/chromium';
import { chromium as playwright, type Locator, type Page } from 'playwright-core';
import { openScene } from '../screenshots/scene.ts';
import { user } from '../screenshots/user.ts';
import { act, startTrial } from '../screenshots/trial.ts';

const root = join(import.meta.dirname, '..', '..');
const width = 1_000;
const height = 640;
/** Milliseconds for which a page is shown, and then the mark on what is pressed. */
const shownMs = 2_600;
const markedMs = 900;
/** The pages have few colours: with so many the texts stay sharp. */
const colours = 64;

interface Frame {
  readonly png: Buffer;
  readonly ms: number;
}

/** The part of the package @pdf-lib/upng that is used: images as bytes of red, green, blue and alpha. */
interface Upng {
  readonly decode: (png: Buffer) => object;
  readonly toRGBA8: (image: object) => readonly ArrayBuffer[];
  readonly encode: (
    frames: readonly ArrayBuffer[],
    width: number,
    height: number,
    colours: number,
    delays: readonly number[],
  ) => ArrayBuffer;
}

/** Writes docs/demo/console.png. */
export async function recordConsole(): Promise<void> {
  const browser = await playwright.launch({ args: chromium.args, executablePath: await chromium.executablePath() });
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme: 'light',
    reducedMotion: 'reduce',
    locale: 'en-GB',
  });
  const page = await context.newPage();
  const walk = new Walk(page);
  {
    await using trial = await startTrial();
    await act(trial);
    await page.goto(trial.console);
    await walk.press(page.locator('a[href="/jobs/prospects"]').first());
    await walk.press(page.locator('a[href^="/runs/"]').first());
    await page.goto(`${trial.console}/records?of=row:9&job=prospects`);
    await walk.look();
    await page.goto(`${trial.console}/problems`);
    await walk.look();
  }
  {
    await using scene = await openScene();
    await page.goto(`${scene.url}/login`);
    await page.fill('input[name=name]', user.name);
    await page.fill('input[name=password]', user.password);
    await page.click('button[type=submit]');
    await page.goto(`${scene.url}/conflicts?job=prospects`);
    await walk.press(page.locator('button[value="sheet"]').first());
    await walk.look();
    await page.goto(`${scene.url}/jobs/prospects/held`);
    await walk.press(page.locator('input[data-tick]').first());
    await walk.look();
  }
  await page.close();
  await browser.close();
  writeFileSync(join(root, 'docs', 'demo', 'console.png'), animated(walk.frames));
}

class Walk {
  readonly frames: Frame[] = [];
  private readonly page: Page;

  constructor(page: Page) {
    this.page = page;
  }

  async look(ms = shownMs): Promise<void> {
    // Charts and live parts are drawn after the page.
    await this.page.waitForTimeout(600);
    this.frames.push({ png: await this.page.screenshot(), ms });
  }

  /** Shows the page, marks what is pressed, and presses it. */
  async press(target: Locator): Promise<void> {
    await target.scrollIntoViewIfNeeded();
    await this.look();
    await target.evaluate((element) => {
      element.style.outline = '3px solid #d9480f';
      element.style.outlineOffset = '3px';
    });
    await this.look(markedMs);
    await target.click();
    await this.page.waitForLoadState();
  }
}

function animated(frames: readonly Frame[]): Buffer {
  // It is installed with the site of the docs, which alone needs it.
  const packages = createRequire(join(root, 'docs', 'package.json'));
  const { decode, encode, toRGBA8 } = (packages('@pdf-lib/upng') as { readonly default: Upng }).default;
  const pixels = frames.map(({ png }) => toRGBA8(decode(png))[0]!);
  const delays = frames.map(({ ms }) => ms);
  return Buffer.from(encode(pixels, width, height, colours, delays));
}
