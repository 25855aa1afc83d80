import { existsSync, mkdirSync } from 'node:fs';
import { chromium, type Page } from '@playwright/test';
import { MAX_DRAWN_NODES } from '@/domain/choices';
import { EDGE_VERDICTS } from '@/domain/topology/edge-verdict';
import type { Topology } from '@/domain/topology/topology';
import { layOut } from '@/features/topology/lay-out';
import { buildMap } from '@/features/topology/map-model';
import { randomTopology } from '@/features/topology/random-topology.fixture';
import { english } from '../../src/lib/i18n/translator';
import { expectBar, ms, printTable, summary } from './stats';
import { startTopologyEnvironment } from './topology-environment';

/*
 * How fast the map is read and drawn, with the production build and Chromium without a graphics card:
 *   npx tsx packages/bench/topology.ts [workloads] [pairs] [rollups per minute]        (default 500, 1500, 100000)
 * Bars: 5,000 workloads are laid out within a second; at least 30 frames/s while the map is dragged, and while it is
 * zoomed, at 1440 × 900.
 */
const [workloads = 500, pairs = 1_500, rows = 100_000] = process.argv.slice(2).map(Number);
const CALLS = 12;
const SECONDS = 4;
const executablePath = [process.env.CHROMIUM_PATH, '/usr/bin/chromium', '/usr/bin/chromium-browser'].find(
  (path) => path && existsSync(path),
);

// As text: what the compiler adds to functions is not known to the page.
const COUNT_FRAMES = `{
  window.frameTimes = [];
  window.counting = true;
  const count = (time) => {
    window.frameTimes.push(time);
    if (window.counting) requestAnimationFrame(count);
  };
  requestAnimationFrame(count);
}`;

/** Frames of the page while `move` is done again and again. */
async function measureFrames(page: Page, move: (step: number) => Promise<void>) {
  await page.evaluate(COUNT_FRAMES);
  const end = performance.now() + SECONDS * 1000;
  for (let step = 0; performance.now() < end; step++) await move(step);
  const times = await page.evaluate<number[]>('{ window.counting = false; window.frameTimes; }');
  const gaps = times.slice(1).map((time, i) => time - (times[i] ?? time));
  return { perSecond: (1000 * gaps.length) / gaps.reduce((sum, gap) => sum + gap, 0), ...summary(gaps) };
}

const largest = randomTopology(5, { workloads: 5_000, edges: 10_000 });
const startedAt = performance.now();
layOut(buildMap(english, largest, { verdicts: new Set(EDGE_VERDICTS), idle: true }).groups);
const layoutMs = performance.now() - startedAt;
console.log(`laying out 5,000 workloads: ${ms(layoutMs)}`);
expectBar('5,000 workloads laid out within a second', layoutMs < 1_000);

const environment = await startTopologyEnvironment(workloads, pairs, rows);
const browser = await chromium.launch({ executablePath, args: ['--headless', '--no-sandbox', '--disable-gpu'] });
try {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  const login = await context.request.post(`${environment.url}/api/v1/auth/login`, { data: environment.admin });
  const { access_token } = (await login.json()) as { access_token: string };
  const headers = { authorization: `Bearer ${access_token}` };
  /** Reads the map again and again, and prints how long it takes. */
  const measure = async (name: string, query: string): Promise<Topology> => {
    const samples: number[] = [];
    let text = '';
    for (let call = 0; call < CALLS; call++) {
      const started = performance.now();
      const response = await fetch(`${environment.url}/api/v1/topology?${query}`, { headers });
      text = await response.text();
      samples.push(performance.now() - started);
      if (!response.ok) throw new Error(text);
    }
    const [first, ...others] = samples;
    const { median, p95 } = summary(others);
    const topology = JSON.parse(text) as Topology;
    const nodes = topology.workloads.length + topology.groups.filter(({ expanded }) => !expanded).length;
    console.log(
      `${name}: ${nodes} nodes, ${topology.edges.length} edges, ${Math.round(text.length / 1024)} kB; first ${ms(first ?? 0)}, median ${ms(median)}, p95 ${ms(p95)}`,
    );
    return topology;
  };
  console.log(`${workloads} workloads, ${rows} aggregate rows`);
  await measure('GET /topology', '');
  const { groups } = await measure('GET /topology?group_by=auto', 'group_by=auto');
  // As many groups as can be drawn with their workloads.
  const expand: string[] = [];
  let drawn = groups.length;
  for (const { id, workloads: count } of [...groups].sort((x, y) => x.workloads - y.workloads)) {
    if (count > 0 && drawn + count <= MAX_DRAWN_NODES) {
      expand.push(id);
      drawn += count;
    }
  }
  await measure('GET /topology, expanded', `group_by=auto&expand=${expand.join(',')}`);

  const page = await context.newPage();
  await page.goto(`${environment.url}/topology?expand=${expand.join(',')}`);
  const map = page.getByRole('application', { name: /^Map of/ });
  await map.waitFor();
  await page.waitForTimeout(1_000);
  mkdirSync('test-results/screens', { recursive: true });
  await page.screenshot({ path: `test-results/screens/topology-${workloads}.png` });
  const box = await map.boundingBox();
  if (!box) throw new Error('the map is not there');
  const centre = { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  const results: [string, Awaited<ReturnType<typeof measureFrames>>][] = [];
  const drag = async (name: string) => {
    await page.mouse.move(centre.x, centre.y);
    await page.mouse.down();
    const move = (step: number) =>
      page.mouse.move(centre.x + 200 * Math.sin(step / 12), centre.y + 120 * Math.cos(step / 17));
    results.push([name, await measureFrames(page, move)]);
    await page.mouse.up();
  };
  await drag('dragging all of it');
  results.push(['zooming', await measureFrames(page, (step) => page.mouse.wheel(0, step % 40 < 20 ? -60 : 60))]);
  await page.getByRole('button', { name: 'Fit map' }).click();
  for (let step = 0; step < 4; step++) await page.getByRole('button', { name: 'Zoom in' }).click();
  await page.screenshot({ path: `test-results/screens/topology-${workloads}-near.png` });
  await drag('dragging from near, link by link');
  printTable(
    ['', 'frames/s', 'median', 'p95', 'longest'],
    results.map(([name, one]) => [name, one.perSecond.toFixed(0), ms(one.median), ms(one.p95), ms(one.max)]),
  );
  for (const [name, { perSecond }] of results) expectBar(`at least 30 frames/s while ${name}`, perSecond >= 30);
} finally {
  await browser.close();
  await environment.stop();
}
