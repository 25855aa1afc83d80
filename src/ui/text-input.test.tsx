import type { ReactNode } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, it } from 'vitest';
import { TextInput } from './text-input';

/** The elements from the root down to the input, with preceding siblings: what React keeps a field mounted by. */
const renderAncestors = (leading: ReactNode, trailing: ReactNode): string => {
  const markup = renderToStaticMarkup(<TextInput aria-label="Port" {...{ leading, trailing }} />);
  return markup
    .slice(0, markup.indexOf('<input'))
    .replace(/<i>.*?<\/i>/g, '')
    .replace(/<span class="shrink-0[^>]*><\/span>/g, '')
    .replace(/ class="[^"]*"/g, '');
};

describe('TextInput', () => {
  it('keeps the field at the same place in the tree, whatever its siblings', () => {
    const plain = renderAncestors(undefined, undefined);
    expect(plain).toBe('<span>');
    for (const slot of [false, null, '', <i key="x">x</i>]) {
      expect(renderAncestors(undefined, slot)).toBe(plain);
      expect(renderAncestors(slot, undefined)).toBe(plain);
      expect(renderAncestors(slot, slot)).toBe(plain);
    }
  });
});
