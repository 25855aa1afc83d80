import { expect, test } from 'vitest';
import { english } from '@/lib/i18n/translator';
import { intervalText, jobTitle } from './job-labels';

test.each([
  ['cluster.sync', 'Cluster sync'],
  ['policy.apply', 'Policy: apply'],
  ['flows.roll_up', 'Flows: roll up'],
])('%s is titled %s', (name, title) => expect(jobTitle(english, name)).toBe(title));

test.each([
  [null, null],
  [60, 'every minute'],
  [300, 'every 5 min'],
  [3600, 'every hour'],
  [86_400, 'every 24 h'],
  [90, 'every 90 s'],
])('%s seconds read %s', (seconds, text) => expect(intervalText(english, seconds)).toBe(text));
