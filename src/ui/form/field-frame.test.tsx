import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, it } from 'vitest';
import { Combobox } from '../combobox';
import { NumberInput } from '../number-input';
import { Select } from '../select';
import { TextInput } from '../text-input';
import { FieldFrame } from './field-frame';

const nothing = () => undefined;
const CONTROLS = {
  text: <TextInput value="" onChange={nothing} />,
  number: <NumberInput value={7} onValueChange={nothing} />,
  combobox: <Combobox value={null} onValueChange={nothing} options={[]} />,
  select: <Select value={null} onValueChange={nothing} options={[]} />,
};

const attributes = (markup: string, tag: string) =>
  Object.fromEntries(
    [
      ...(new RegExp(`<${tag}([^>]*role="combobox"[^>]*|[^>]*)>`).exec(markup)?.[1] ?? '').matchAll(
        /([\w-]+)="([^"]*)"/g,
      ),
    ].map(([, name, value]) => [name, value]),
  );
const findTextById = (markup: string, id: string | undefined) =>
  new RegExp(`id="${id}"[^>]*>([^<]*)<`).exec(markup)?.[1];

describe('FieldFrame', () => {
  it.each(Object.entries(CONTROLS))('ties label, description and message to its %s', (kind, control) => {
    const markup = renderToStaticMarkup(
      <FieldFrame name="port" label="Port" description="Of the server" error="Too high" nativeLabel={kind !== 'select'}>
        {control}
      </FieldFrame>,
    );
    const found = attributes(markup, kind === 'select' ? 'button' : 'input');
    const words = found['aria-describedby']?.split(' ').map((id: string) => findTextById(markup, id));
    expect(words).toEqual(['Of the server', 'Too high']);
    expect(found['aria-invalid']).toBe('true');
    if (kind === 'select') expect(findTextById(markup, found['aria-labelledby'])).toBe('Port');
    else expect(markup).toContain(`for="${found.id}"`);
  });

  it('disables its control, and refers to no words that are not there', () => {
    for (const control of Object.values(CONTROLS)) {
      const markup = renderToStaticMarkup(
        <FieldFrame name="port" label="Port" error={undefined} disabled>
          {control}
        </FieldFrame>,
      );
      expect(markup).toMatch(/<(input|button)[^>]* disabled=""/);
      expect(markup).not.toContain('aria-describedby');
      expect(markup).not.toContain('aria-invalid');
    }
  });
});
