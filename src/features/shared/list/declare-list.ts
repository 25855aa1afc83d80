import type { ReactNode } from 'react';
import type { Page } from '@/domain/list';
import type { Grantable } from '@/domain/permissions';
import type { Translate } from '@/lib/i18n/translator';
import type { RouterInputs, RouterOutputs } from '@/lib/trpc';
import type { Column } from '@/ui/table/column';
import type { FilterValue, ListSpec } from '../list-state';
import type { Filters } from './filters';

type Lists<R extends keyof RouterOutputs> = {
  [N in keyof RouterOutputs[R] & string]: RouterOutputs[R][N] extends Page<unknown> ? `${R}.${N}` : never;
}[keyof RouterOutputs[R] & string];
/** Procedures that answer a page of rows: `networks.list`. */
export type ListProcedure = { [R in keyof RouterOutputs]: Lists<R> }[keyof RouterOutputs];

type Part<T, P extends ListProcedure> = P extends `${infer R}.${infer N}`
  ? R extends keyof T
    ? N extends keyof T[R]
      ? T[R][N]
      : never
    : never
  : never;
export type RowOf<P extends ListProcedure> = Part<RouterOutputs, P> extends Page<infer Row> ? Row : never;
export type InputOf<P extends ListProcedure> = Extract<Part<RouterInputs, P>, object>;

/** What search, sort and filters ask for. */
export type Asked<F extends Filters, S extends string> = { q?: string; sort: S | `-${S}` } & {
  [K in keyof F]?: FilterValue<F[K]['spec']>;
};

/** Shown in place of a list without entries. Its action is the list's own, or a link. */
export type Empty = { icon?: ReactNode; title: string; text: string; link?: { label: string; href: string } | null };
export type EmptyContext = { within: object; can: (permission: Grantable) => boolean };

/** What a list is whatever its rows. */
export type ListTexts = {
  /** Name of the exported file, and the noun in its messages. */
  name: string;
  /** Key under which this browser stores the choice of columns; defaults to the name. */
  id?: string;
  /** Of the page, when the list is all of it. */
  title?: string;
  label: string;
  noun: { one: string; many: string };
  /** Label of the search; without it there is none. */
  search?: string;
  empty: Empty | ((context: EmptyContext) => Empty);
  /** The button that adds one, above the list and where it is empty. */
  add?: { label: string; permission: Grantable };
};

type Declared<P extends ListProcedure, F extends Filters, S extends string> = ListTexts & {
  from: P;
  sorts: readonly S[];
  defaultSort: S | `-${S}`;
  filters: F;
  /** Filters that stay in view while they have no value, because they are used most. */
  common?: readonly (keyof F & string)[];
  /** Makes what the procedure takes of what the URL holds, where they differ. */
  ask?: (asked: Asked<F, S>) => Partial<InputOf<P>>;
  /** Left out where they depend on the page, which then gives them to `useList`. */
  columns?: (t: Translate) => readonly Column<RowOf<P>>[];
  /** Columns of the file where they are not those of the table; false: nothing is exported here. */
  exported?: readonly Column<RowOf<P>>[] | false;
  rowId: (row: RowOf<P>) => string;
  /** The page of a row. */
  rowPath?: (row: RowOf<P>) => string;
  /** For what changes without an event: read again this often. */
  refetchMs?: number;
};

/** What the URL holds must be what the procedure takes, or be made so. */
type Asking<P extends ListProcedure, F extends Filters, S extends string> =
  Asked<F, S> extends Partial<InputOf<P>> ? unknown : { ask: unknown };

/** A list as pages show it. */
export type List<P extends ListProcedure, F extends Filters, S extends string> = Declared<P, F, S> & {
  state: ListSpec<S, { [K in keyof F]: F[K]['spec'] }>;
};

/**
 * Declares the list of one thing: where its rows come from, its columns, filters, export and empty state. `useList` and
 * `ListView` make the page of it.
 */
export function declareList<const P extends ListProcedure, const F extends Filters, const S extends string>(
  list: Declared<P, F, S> & Asking<P, F, S>,
): List<P, F, S> {
  const filters = Object.fromEntries(Object.entries(list.filters).map(([name, { spec }]) => [name, spec]));
  const state = { sorts: list.sorts, defaultSort: list.defaultSort, filters };
  return { ...list, state: state as unknown as List<P, F, S>['state'] };
}
