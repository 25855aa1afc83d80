import { z } from 'zod';

/** The version of something, in a path or a query. */
export const versionNumber = z.coerce.number<number | string>({ error: 'a version number' }).int().min(1);

/** For deleting what has versions: the one that was read, unless If-Match says it. */
export const ByVersion = z.strictObject({ version: versionNumber.optional() });

/** A switch in a query. */
export const flag = z.enum(['true', 'false'], { error: 'true or false' }).default('false');

/** For work that goes on: whether to wait for its end. */
export const Waiting = z.strictObject({ wait: flag });
