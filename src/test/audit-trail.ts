import type { SQL } from 'drizzle-orm';
import { db } from '@/server/db/client';
import { auditRecords } from '@/server/db/schema/operations';

/** The audit records of the test's database, oldest first. PostgreSQL promises no order unless asked for one. */
export const auditTrail = (where?: SQL) => db.select().from(auditRecords).where(where).orderBy(auditRecords.seq);
