/** How a value is compared. Order is only defined for amounts: `bytes`, `packets` and `duration`. */
export type Operator = '=' | '!=' | '<' | '<=' | '>' | '>=' | 'in';

/**
 * What a text of the filter language means. Only `in` has several values; every other operator has exactly one, and `and` and `or` have
 * at least two parts. Values are canonical, so that an evaluator need not read units or names again:
 * - `client`, `server`, `end` (either of them): an address or prefix, `internal`, `external`, `group:…`, `vmid:…`, `vmid:cluster/…`,
 *   `network:…`, `network:cluster/…`, `tag:…`, or else the name of a workload; `address`: an address or prefix, at either end;
 * - `service`: a protocol (`icmp`) or a protocol with a port or range (`tcp/5432`, `tcp/8000-8010`), in lower case;
 * - `protocol`: in lower case; `port`: a port or range of the service (`443`, `8000-8010`);
 * - `action`: `allowed`, `dropped`, `rejected` or `unknown`; `state`: `active` or `ended`;
 * - `bytes`, `packets`: a whole number, of both directions together; `duration`: whole seconds;
 * - `node`, `cluster`: a name or id.
 *
 * `!=` is the negation of `=`: it also holds where the value is unknown. Amounts that are unknown are never less or more than any.
 */
export type Condition =
  | { readonly kind: 'and' | 'or'; readonly of: readonly Condition[] }
  | { readonly kind: 'not'; readonly of: Condition }
  | {
      readonly kind: 'compare';
      readonly field: string;
      readonly operator: Operator;
      readonly values: readonly string[];
    };
