import { expect, it } from 'vitest';
import { SharedSums } from './shared-sums';

const counting = () => {
  const reads: string[] = [];
  const sums = new SharedSums<string>();
  const get = (key: string, version: number) =>
    sums.get(key, version, async () => {
      reads.push(`${key} ${version}`);
      return `${key} ${version}`;
    });
  return { sums, reads, get };
};

it('reads once for each state, however many ask at once', async () => {
  const { reads, get } = counting();
  await Promise.all([get('hour', 1), get('hour', 1), get('day', 1)]);
  expect(await get('hour', 1)).toBe('hour 1');
  expect(await get('hour', 2)).toBe('hour 2');
  expect(await get('hour', 1)).toBe('hour 2');
  expect(reads).toEqual(['hour 1', 'day 1', 'hour 2']);
});

it('tries again what failed', async () => {
  const { sums, get } = counting();
  await expect(sums.get('hour', 1, () => Promise.reject(new Error('no database')))).rejects.toThrow('no database');
  expect(await get('hour', 1)).toBe('hour 1');
});

it('forgets what was used least recently', async () => {
  const { reads, get } = counting();
  for (let i = 0; i < 24; i++) await get(`range ${i}`, 1);
  await get('range 0', 1);
  await get('one more', 1);
  await get('range 0', 1);
  expect(reads).toHaveLength(25);
  await get('range 1', 1);
  expect(reads).toHaveLength(26);
});
