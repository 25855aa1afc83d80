import { type Browser, type BrowserContext, chromium, type Page } from '@playwright/test';
import { PASSWORD, startServiceEnvironment } from './service-environment';
import { expectBar, ms, printTable, summary } from './stats';

/*
 * How a page comes up in a browser: a document without anything in the cache, 4 times slower than this processor, at 1.5 MiB/s with
 * 40 ms to the service; medians.
 *   npx tsx packages/bench/browser.ts [runs] [paths...]   (5, the pages below)
 * Needs a production build, and Chromium (CHROMIUM_PATH). `token` and `data` are when the first answer of each had arrived, `shown` when
 * nothing was loading any more, `quiet` the end of the last task of more than 50 ms, counted from `shown`. The visits do not interact with the page.
 * Bars: nothing moves by more than 0.05, and the page is quiet half a second after it is shown.
 */
const [runs = '5', ...chosen] = process.argv.slice(2);
const PATHS = [
  '/',
  '/workloads',
  '/policies',
  '/agents',
  '/addresses',
  '/clusters',
  '/nodes',
  '/networks',
  '/flows',
  '/topology',
];
const SLOWER = 4;
const NETWORK = { offline: false, latency: 40, downloadThroughput: 1.5 * 1024 * 1024, uploadThroughput: 1024 * 1024 };
const MOST_SHIFT = 0.05;
const MOST_BUSY_MS = 500;
const SETTLE_MS = 3_000;

type Seen = { lcp: number; shift: number; busyUntil: number; shown: number | null };
type Visit = Seen & { scripts: number; token: number; data: number };

/** Runs in the page. */
function watch(): void {
  const seen: Seen = { lcp: 0, shift: 0, busyUntil: 0, shown: null };
  Object.assign(window, { seen });
  const observe = (type: string, note: (entry: PerformanceEntry) => void) =>
    new PerformanceObserver((list) => list.getEntries().forEach(note)).observe({ type, buffered: true });
  observe('largest-contentful-paint', ({ startTime }) => {
    seen.lcp = startTime;
  });
  observe('layout-shift', (entry) => {
    seen.shift += (entry as PerformanceEntry & { value: number }).value;
  });
  observe('longtask', ({ startTime, duration }) => {
    seen.busyUntil = startTime + duration;
  });
  const look = () => {
    const isShown = document.querySelector('h1') && !document.querySelector('[aria-busy="true"]');
    seen.shown = isShown ? (seen.shown ?? performance.now()) : null;
    requestAnimationFrame(look);
  };
  look();
}

async function visit(page: Page, url: string): Promise<Visit> {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('Network.enable');
  await cdp.send('Network.emulateNetworkConditions', NETWORK);
  await cdp.send('Emulation.setCPUThrottlingRate', { rate: SLOWER });
  // The compiler names functions by a helper that the page does not have.
  await page.addInitScript('window.__name = (made) => made;');
  await page.addInitScript(watch);
  let scripts = 0;
  const arrived: { url: string; at: number; isScript: boolean }[] = [];
  const asked = new Map<string, { url: string; isScript: boolean }>();
  let began: number | undefined;
  cdp.on('Network.requestWillBeSent', ({ requestId, request, timestamp, type }) => {
    began ??= timestamp;
    asked.set(requestId, { url: request.url, isScript: type === 'Script' });
  });
  cdp.on('Network.loadingFinished', ({ requestId, timestamp, encodedDataLength }) => {
    const request = asked.get(requestId);
    if (!request) return;
    arrived.push({ ...request, at: (timestamp - (began ?? timestamp)) * 1000 });
    if (request.isScript) scripts += encodedDataLength;
  });
  await page.goto(url);
  await page.waitForFunction(() => (window as unknown as { seen: Seen }).seen.shown !== null);
  await page.waitForTimeout(SETTLE_MS);
  const seen = await page.evaluate(() => (window as unknown as { seen: Seen }).seen);
  const first = (path: string) => arrived.find((one) => one.url.includes(path))?.at ?? Number.NaN;
  return { ...seen, scripts, token: first('/auth/refresh'), data: first('/api/trpc/') };
}

async function createSignedInContext(browser: Browser, url: string, email: string): Promise<BrowserContext> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, locale: 'en-GB' });
  const response = await context.request.post(`${url}/api/v1/auth/login`, { data: { email, password: PASSWORD } });
  if (!response.ok()) throw new Error(`the sign-in answered ${response.status()}`);
  return context;
}

const service = await startServiceEnvironment({ users: 1, agents: 50, redisUrl: null });
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM_PATH ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu'],
});
try {
  const rows: string[][] = [];
  let [shift, busy] = [0, 0];
  for (const path of chosen.length > 0 ? chosen : PATHS) {
    const visits: Visit[] = [];
    for (let run = 0; run < Number(runs); run++) {
      const context = await createSignedInContext(browser, service.url, service.emails[0] ?? '');
      visits.push(await visit(await context.newPage(), `${service.url}${path}`));
      await context.close();
    }
    const median = (of: (one: Visit) => number) => summary(visits.map(of)).median;
    const quiet = median((one) => Math.max(0, one.busyUntil - (one.shown ?? 0)));
    const moved = median((one) => one.shift);
    shift = Math.max(shift, moved);
    busy = Math.max(busy, quiet);
    const times = [
      median((one) => one.token),
      median((one) => one.data),
      median((one) => one.lcp),
      median((one) => one.shown ?? 0),
    ];
    rows.push([
      path,
      `${Math.round(median((one) => one.scripts) / 1024)} KiB`,
      ...times.map(ms),
      ms(quiet),
      moved.toFixed(3),
    ]);
  }
  printTable(['page', 'scripts', 'token', 'data', 'largest paint', 'shown', 'quiet', 'shift'], rows);
  expectBar(`nothing moves by more than ${MOST_SHIFT} (${shift.toFixed(3)})`, shift <= MOST_SHIFT);
  expectBar(`quiet ${MOST_BUSY_MS} ms after it is shown (${ms(busy)})`, busy <= MOST_BUSY_MS);
} finally {
  await browser.close();
  await service.stop();
}
