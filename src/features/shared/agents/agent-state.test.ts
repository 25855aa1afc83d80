import { expect, it } from 'vitest';
import { english } from '@/lib/i18n/translator';
import { clockText, collectorName, collectorState, listDegradedCollectors } from './agent-state';

it('says how far a clock is off, and in which direction', () => {
  expect(clockText(english, -499)).toEqual({ tone: 'ok', text: 'Accurate' });
  expect(clockText(english, 1_500)).toEqual({ tone: 'ok', text: '1.5 s ahead' });
  expect(clockText(english, -3_725_000)).toEqual({ tone: 'warn', text: '1 h 2 min behind' });
});

it('keeps what a newer agent calls its collectors and states', () => {
  expect(collectorName('firewall_log')).toBe('Firewall log');
  expect(collectorName('xdp')).toBe('xdp');
  expect(collectorState('paused')).toEqual({ tone: 'unknown', word: 'paused' });
});

it('takes a collector that is off for a decision, not for a lack', () => {
  const collectors = ['active', 'degraded', 'unavailable', 'off'].map((state) => ({ name: state, state }));
  expect(listDegradedCollectors({ collectors }).map(({ name }) => name)).toEqual(['degraded', 'unavailable']);
});
