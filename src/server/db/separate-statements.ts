import type postgres from 'postgres';

type Unsafe = postgres.Sql['unsafe'];
/** A statement of postgres.js. It asks `onexecute` when it was sent, and sends no more to the connection unless that says so. */
type Statement = { options?: { onexecute?: (connection: unknown) => unknown } };

/** A "begin" has one already, which reserves the connection. */
function separate<T>(made: T): T {
  const { options } = made as Statement;
  if (options) options.onexecute ??= () => false;
  return made;
}

/**
 * Has each connection of a pool run one statement at a time, and others wait for a free one. Otherwise postgres.js (3.4) sends them to busy
 * connections, up to a hundred each, and does not reserve the connection when the last of these is a "begin": the transaction fails, but
 * stays open, and what others write over the connection, confirmed, is lost with it. Statements inside a transaction are sent together as
 * before.
 */
export function separateStatements(client: postgres.Sql): postgres.Sql {
  const unsafe = client.unsafe;
  client.unsafe = ((...args: Parameters<Unsafe>) => separate(unsafe(...args))) as Unsafe;
  return new Proxy(client, {
    apply: (target, self, args) => separate(Reflect.apply(target, self, args)),
  });
}
