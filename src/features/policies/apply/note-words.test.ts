import { expect, it } from 'vitest';
import { leftOnNotes } from '@/domain/policy/plan/left-on';
import { EDITS, type Restoration } from '@/domain/policy/plan/restoration';
import { catalog } from '@/lib/i18n/catalogs/de';
import { makeTranslate } from '@/lib/i18n/translator';
import { noteText } from './note-words';

const german = makeTranslate('de', catalog);

it('says why a firewall stays on in the language of the page, with everything that was edited', () => {
  const notes = (['baseline_unknown', 'edited_since'] as const).flatMap((reason) =>
    leftOnNotes({ kind: 'left_on', reason, edits: [...EDITS] } satisfies Restoration),
  );
  const texts = notes.map((note) => noteText(german, note));
  expect(texts.map(({ message }) => message)).toEqual([
    'Die Firewall bleibt an: Ihr Zustand vor der ersten Richtlinie ist nicht bekannt.',
    'Die Firewall bleibt an: Seit der ersten Anwendung einer Richtlinie wurde dort geändert: Regeln, IP-Sets, Aliasse, Firewall-Optionen, Schnittstellen-Flags.',
  ]);
  expect(new Set(texts.map(({ remedy }) => remedy.slice(0, 12)))).toEqual(new Set(['Prüfen Sie d']));
});
