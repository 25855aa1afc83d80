import { Column, getTableName, Name, Param, Placeholder, SQL, StringChunk, Subquery } from 'drizzle-orm';

type Render = SQL['buildQueryFromSourceParams'];
type Config = Parameters<Render>[1];
type Index = { value: number };

/** drizzle's own. */
const render: Render = SQL.prototype.buildQueryFromSourceParams;
/** What has a schema or whether its parameters are written into the text, which drizzle does not declare. */
const SCHEMA = Symbol.for('drizzle:Schema');
const isInline = (chunk: SQL) => (chunk as unknown as { shouldInlineParams: boolean }).shouldInlineParams;

/** A statement that is written from left to right: one text and one list of parameters. */
class Statement {
  text = '';
  readonly params: unknown[] = [];
  readonly #config: Config;
  readonly #index: Index;

  constructor(config: Config) {
    this.#index = config.paramStartIndex ?? { value: 0 };
    this.#config = { ...config, paramStartIndex: this.#index };
  }

  write(chunk: unknown): void {
    if (typeof chunk !== 'object' || chunk === null) {
      if (typeof chunk === 'function') this.#writeRare(chunk);
      else if (chunk !== undefined) this.#bind(chunk);
    } else if (chunk instanceof StringChunk) {
      for (const text of chunk.value) this.text += text;
    } else if (chunk instanceof SQL) {
      if (isInline(chunk)) this.#writeRare(chunk);
      else for (const part of chunk.queryChunks) this.write(part);
    } else if (chunk instanceof Param) this.#writeParam(chunk);
    else if (chunk instanceof Column) this.#writeColumn(chunk);
    else if (Array.isArray(chunk)) this.#writeList(chunk);
    else if (chunk instanceof Name) this.text += this.#config.escapeName(chunk.value);
    else if (chunk instanceof Subquery) this.#writeSubquery(chunk);
    else if ('getSQL' in chunk) this.#writeRare(chunk);
    else this.#bind(chunk);
  }

  #bind(value: unknown): void {
    this.text += this.#config.escapeParam(this.#index.value++, value);
    this.params.push(value);
  }

  #writeParam(param: Param): void {
    const { value, encoder } = param;
    // A placeholder gets its value later, through the encoder.
    const isLater = value instanceof Placeholder;
    const mapped: unknown = isLater ? param : value === null ? null : encoder.mapToDriverValue(value);
    if (mapped instanceof SQL) this.write(mapped);
    else this.#bind(mapped);
  }

  #writeColumn(column: Column): void {
    const { casing, escapeName } = this.#config;
    if (Reflect.get(column.table, SCHEMA) !== undefined) this.#writeRare(column);
    else this.text += `${escapeName(getTableName(column.table))}.${escapeName(casing.getColumnCasing(column))}`;
  }

  #writeList(list: readonly unknown[]): void {
    this.text += '(';
    for (const [i, item] of list.entries()) {
      if (i > 0) this.text += ', ';
      this.write(item);
    }
    this.text += ')';
  }

  #writeSubquery({ _: { sql, alias, isWith } }: Subquery): void {
    const { escapeName } = this.#config;
    if (isWith) {
      this.text += escapeName(alias);
      return;
    }
    this.text += '(';
    this.write(sql);
    this.text += `) ${escapeName(alias)}`;
  }

  /** Tables, views, aliases, enums, placeholders, queries in queries: their own parts come back to here. */
  #writeRare(chunk: unknown): void {
    const { sql, params } = render.call(EMPTY, [chunk as SQL], this.#config);
    this.text += sql;
    for (const param of params) this.params.push(param);
  }
}
const EMPTY = new SQL([]);

/** Statements whose parameters are in the text, and those that create indexes, are rare: drizzle writes them. */
const renderInOnePass: Render = function (this: SQL, chunks, config) {
  if (config.inlineParams || isInline(this) || config.invokeSource === 'indexes')
    return render.call(this, chunks, config);
  const statement = new Statement(config);
  for (const chunk of chunks) statement.write(chunk);
  return { sql: statement.text, params: statement.params };
};

/**
 * Has drizzle write statements in one pass. Its own way makes an object, a text and a list of parameters for each part, copies them
 * level by level, and asks ten classes about each part by their names: an eighth of the processor time of a light call. Types of
 * parameters (`typings`) are left out, as this driver does not use them.
 */
export function renderStatementsInOnePass(): void {
  SQL.prototype.buildQueryFromSourceParams = renderInOnePass;
}
