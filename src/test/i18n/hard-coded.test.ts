import ts from 'typescript';
import { expect, it } from 'vitest';
import { findHardCodedTexts } from './hard-coded';
import { readSources } from './sources';

const inText = (text: string) =>
  findHardCodedTexts({ path: 'x.tsx', tree: ts.createSourceFile('x.tsx', text, ts.ScriptTarget.Latest, true) });

it('finds words wherever they may stand, and not what machines read', () => {
  expect(inText('<p>Some <b>words</b></p>')).toEqual(['1: Some', '1: words']);
  expect(inText('<Field label="name" className="flex gap-2" />')).toEqual(['1: name']);
  expect(inText("<p>{isOn ? 'on' : t('Off')}</p>")).toEqual(['1: on']);
  expect(inText("toast({ title: 'E-mail settings saved' })")).toEqual(['1: E-mail settings saved']);
  expect(inText("const WORDS = { good: 'Good', id: 'good', other: msg('Fair') }")).toEqual(['1: Good']);
  expect(inText('const text = `${count} of ${total} rows`')).toEqual(['1: `${count} of ${total} rows`']);
  expect(inText("t('{n} rows', { n: isOn ? 'Some' : 1 })")).toEqual(['1: Some']);
  expect(
    inText("t.rich('Delete <b>{name}</b>', { name }); <code>ipfilter none</code>; cn('flex grow shrink')"),
  ).toEqual([]);
});

it('finds nothing that is said in English whatever the language of the page is', () => {
  const sources = readSources();
  expect(sources.length).toBeGreaterThan(500);
  const wrong = sources.flatMap((source) => findHardCodedTexts(source).map((text) => `${source.path}:${text}`));
  expect(wrong).toEqual([]);
});
