import { v7 } from 'uuid';

/** A new UUIDv7: ids sort by creation, which keeps primary-key inserts local and gives lists a stable order. */
export function newId(): string {
  return v7();
}
