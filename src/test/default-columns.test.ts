import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadCatalog } from '@/lib/i18n/load-catalog';
import { LOCALES } from '@/lib/i18n/locales';
import { makeTranslate, type Translate } from '@/lib/i18n/translator';
import type { Column } from '@/ui/table/column';
import { ACTIONS_WIDTH, SELECT_WIDTH } from '@/ui/table/column-layout';
import { estimateHeaderWidth } from '@/ui/table/text-width';

/** What a window of 1440 px leaves for a table beside the navigation, the page's padding, the frame and a scroll bar. */
const ROOM = 1440 - 208 - 32 - 2 - 15;
/** Characters of the first column that fit in the worst case: of names, addresses, titles. */
const NAME = 200;

type AnyColumn = Column<never>;
type List = { name: string; columns: (t: Translate) => readonly AnyColumn[] };

const isColumns = (value: unknown): value is readonly AnyColumn[] =>
  Array.isArray(value) && value.length > 0 && value.every((one) => typeof one?.header === 'string' && 'width' in one);

/** What some declarations ask for beside the translator; only cells use more of it. */
const CONTEXT = { hits: true, audit: true, from: '2026-11-24' };

/** Every exported declaration of columns. */
async function loadColumnLists(folder: string): Promise<List[]> {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('columns.tsx'),
  );
  const lists: List[] = [];
  for (const file of files) {
    const module: Record<string, unknown> = await import(join(process.cwd(), folder, file));
    for (const [name, make] of Object.entries(module)) {
      if (typeof make !== 'function' || !name.endsWith('Columns')) continue;
      const made: unknown = make(makeTranslate('en', {}), CONTEXT);
      if (isColumns(made)) lists.push({ name: `${file} ${name}`, columns: (t) => make(t, CONTEXT) });
      else {
        for (const part of Object.keys(made as object))
          lists.push({ name: `${file} ${name}.${part}`, columns: (t) => make(t, CONTEXT)[part] });
      }
    }
  }
  return lists;
}

const lists = await loadColumnLists('src/features');
const catalogs = await Promise.all(
  LOCALES.map(async (locale) => makeTranslate(locale, locale === 'en' ? {} : await loadCatalog(locale))),
);

const filterShown = (columns: readonly AnyColumn[]) => columns.filter((column) => !column.hidden);
const sum = (columns: readonly AnyColumn[]) => columns.reduce((width, column) => width + column.width, 0);

describe('default columns', () => {
  it('exist', () => expect(lists.length).toBeGreaterThan(30));

  it.each(lists)('$name fit a window of 1440 px in every language', ({ columns }) => {
    for (const t of catalogs) {
      const width = sum(filterShown(columns(t))) + SELECT_WIDTH + ACTIONS_WIDTH;
      expect(width, `width in ${t.locale}`).toBeLessThanOrEqual(ROOM);
    }
  });

  it.each(lists)('$name leave the growing columns room at 1440 px', ({ columns }) => {
    for (const t of catalogs) {
      const shown = filterShown(columns(t));
      const growing = shown.filter((column) => column.grow);
      if (growing.length === 0) continue;
      const room = ROOM - SELECT_WIDTH - ACTIONS_WIDTH - sum(shown.filter((column) => !column.grow));
      expect(room / growing.length, `pixels in ${t.locale}`).toBeGreaterThanOrEqual(NAME);
    }
  });

  it.each(lists)('$name show the titles of figures in full in every language', ({ columns }) => {
    for (const t of catalogs) {
      for (const { header, width, align, sortable } of columns(t)) {
        if (align === 'end')
          expect(width, `${header} in ${t.locale}`).toBeGreaterThanOrEqual(estimateHeaderWidth(header, sortable));
      }
    }
  });
});
