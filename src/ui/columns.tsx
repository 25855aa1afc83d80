import type { ReactNode } from 'react';
import { formatCount } from '@/lib/format';
import type { Column } from './table/column';
import { estimateContentWidth } from './table/text-width';
import { Missing, Mono, RelativeTime } from './values';

type Common<Row> = Pick<Column<Row>, 'sortable' | 'hidden' | 'grow' | 'sortFirst'> & { width?: number };
/** As wide as a distance from now gets, in any language. */
const RELATIVE_SAMPLE = '0000000000';

type Value<Row, T> = (row: Row) => T | null | undefined;

/**
 * Makers for the columns of rows of one type:
 * `const make = createColumnHelper<Cluster>(); const COLUMNS = [make.text('name', 'Name', (c) => c.name, { sortable: true }), …]`.
 * A value that is null or undefined is shown as a dash.
 */
export function createColumnHelper<Row>() {
  return {
    /** Text. `render` replaces the plain text in the cell, for example by a link; export keeps the text. */
    text(
      id: string,
      header: string,
      value: Value<Row, string>,
      { render, width = 160, ...options }: Common<Row> & { render?: (row: Row) => ReactNode } = {},
    ): Column<Row> {
      const cell = render ?? ((row: Row) => value(row) || <Missing />);
      return { id, header, width, ...options, cell, csv: value };
    },
    /** Address, identifier or version, in monospace. */
    mono(
      id: string,
      header: string,
      value: Value<Row, string>,
      { width = 150, ...options }: Common<Row> = {},
    ): Column<Row> {
      const cell = (row: Row) => {
        const text = value(row);
        return text ? <Mono>{text}</Mono> : <Missing />;
      };
      return { id, header, width, ...options, cell, csv: value };
    },
    /** A figure at the end of its column, as wide as `sample`, or as its title. `format` for units; export keeps the number. */
    number(
      id: string,
      header: string,
      value: Value<Row, number>,
      {
        format = formatCount,
        sample = format === formatCount ? '999,999' : '1023 MiB',
        sortable,
        width = estimateContentWidth(sample, header, sortable),
        sortFirst = 'desc',
        ...options
      }: Common<Row> & { format?: (value: number) => string; sample?: string } = {},
    ): Column<Row> {
      const cell = (row: Row) => {
        const figure = value(row);
        return figure === null || figure === undefined ? <Missing /> : format(figure);
      };
      return { id, header, width, sortable, sortFirst, ...options, align: 'end', cell, csv: value };
    },
    /** A time as distance from now. `none` is the word for no time: "Never". */
    time(
      id: string,
      header: string,
      value: Value<Row, string>,
      {
        none,
        sortable,
        width = estimateContentWidth(RELATIVE_SAMPLE, header, sortable),
        sortFirst = 'desc',
        ...options
      }: Common<Row> & { none?: string } = {},
    ): Column<Row> {
      const cell = (row: Row) => <RelativeTime at={value(row)} none={none} />;
      return { id, header, width, sortable, sortFirst, ...options, cell, csv: value };
    },
    /** Anything else: a state, badges, a meter. `csv` is what the file gets. */
    custom(
      id: string,
      header: string,
      cell: (row: Row) => ReactNode,
      { width = 140, ...options }: Common<Row> & Pick<Column<Row>, 'csv' | 'align'> = {},
    ): Column<Row> {
      return { id, header, width, ...options, cell };
    },
  };
}
