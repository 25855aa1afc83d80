import { sql } from 'drizzle-orm';
import { customType, uuid } from 'drizzle-orm/pg-core';
import type { Span } from '@/domain/impact/time-spans';
import { newId } from '../lib/ids';

/** timestamptz that is an RFC 3339 UTC string in code, so that rows are JSON as they are. Writing also takes a Date. */
export const timestamptz = customType<{ data: string; driverData: string }>({
  dataType: () => 'timestamp with time zone',
  fromDriver: (value) => new Date(value).toISOString(),
  toDriver: (value) => (typeof value === 'string' ? value : new Date(value).toISOString()),
});

/** A timestamptz that the database fills with the transaction's time. */
export const timestampNow = () => timestamptz().notNull().default(sql`now()`);

/** PostgreSQL `inet`: one address, written without prefix. */
export const inet = customType<{ data: string }>({ dataType: () => 'inet' });

/** PostgreSQL `cidr`: a prefix with zero host bits. */
export const cidr = customType<{ data: string }>({ dataType: () => 'cidr' });

/** PostgreSQL `bytea`: bytes as they are. */
export const bytea = customType<{ data: Buffer }>({ dataType: () => 'bytea' });

/** PostgreSQL `macaddr`, read in lower case with colons. */
export const macaddr = customType<{ data: string }>({ dataType: () => 'macaddr' });

const time = (milliseconds: number) => new Date(milliseconds).toISOString();
const BOUNDS = /[[(]"?([^",]+)"?,"?([^",]+)"?[\])]/g;

/** PostgreSQL `tstzmultirange`: stretches of time in milliseconds since 1970, disjoint and in order when read. */
export const timeSpans = customType<{ data: readonly Span[]; driverData: string }>({
  dataType: () => 'tstzmultirange',
  fromDriver: (text) =>
    [...text.matchAll(BOUNDS)].map(([, since = '', until = '']) => ({
      since: new Date(since).getTime(),
      until: new Date(until).getTime(),
    })),
  toDriver: (spans) => `{${spans.map(({ since, until }) => `["${time(since)}","${time(until)}")`).join(',')}}`,
});

/** UUIDv7 primary key made in the application. */
export const primaryId = () => uuid().primaryKey().$defaultFn(newId);
