import { z } from 'zod';

/** How a list is answered: pages of JSON, or the whole as a CSV file. */
export const listFormat = z.enum(['json', 'csv'], { error: 'json or csv' }).default('json');
