import { describe, expect, it } from 'vitest';
import { english } from '@/lib/i18n/translator';
import { withTyped } from './typed-endpoint';

const found = [
  { value: 'sg:web', label: 'web' },
  { value: 'tag:web', label: 'web' },
];
const values = (text: string, isEarlier: boolean) =>
  withTyped(english, found, text, isEarlier, 'policies').map(({ value }) => value);

describe('withTyped', () => {
  it('puts a typed address before everything that is found, so that Enter takes it', () => {
    expect(values('10.0.0.0/24', true)).toEqual(['10.0.0.0/24', 'sg:web', 'tag:web']);
    expect(values('10.0.0.7', false)[0]).toBe('10.0.0.7');
  });

  it('offers a typed name last, and only once the search for it has answered', () => {
    expect(values('we', true)).toEqual(['sg:web', 'tag:web']);
    expect(values('we', false)).toEqual(['sg:web', 'tag:web', 'we']);
  });

  it('offers nothing twice, and nothing for no text', () => {
    expect(values('sg:web', false)).toEqual(['sg:web', 'tag:web']);
    expect(values(' ', false)).toEqual(['sg:web', 'tag:web']);
  });
});
