/** Which requests a fault applies to; every given condition must hold. */
export type RequestMatch = {
  cluster?: string;
  /** Node the client connects to. */
  node?: string;
  method?: string;
  /** Path below `/api2/json`: exact text, a pattern with `{name}` placeholders, or a regular expression. */
  path?: string | RegExp;
};

export type Fault =
  /** The worker needs this many virtual ms more. */
  | { kind: 'delay'; ms: number }
  /** Another answer. With `apply` the call is executed first, otherwise it never happens. */
  | { kind: 'respond'; status: number; reason?: string; body?: string; contentType?: string; apply?: boolean }
  /** An HTML page of a reverse proxy; the call never reaches the node. */
  | { kind: 'html-502' }
  /** The call is executed; the answer announces its full length but is cut short. */
  | { kind: 'truncate'; bytes?: number }
  /** The call is executed; the answer is no JSON. */
  | { kind: 'garbage' }
  /** The connection is reset: `before` the call is executed or `after`. */
  | { kind: 'reset'; when: 'before' | 'after' }
  /** No answer at all; the call is not executed. */
  | { kind: 'hang' }
  /** Runs code right before or after the call is executed, to change things behind the client's back. */
  | { kind: 'hook'; before?: () => void | Promise<void>; after?: () => void | Promise<void> };

export type FaultHandle = {
  /** How often it struck. */
  readonly hits: number;
  remove(): void;
};

type Rule = { match: RequestMatch; fault: Fault; skip: number; remaining: number; hits: number };

const BAD_GATEWAY =
  '<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<body>\r\n<center><h1>502 Bad Gateway</h1></center>\r\n<hr><center>nginx</center>\r\n</body>\r\n</html>\r\n';

const pathMatches = (requested: string | RegExp, path: string, pattern: string | undefined): boolean =>
  typeof requested === 'string' ? requested === path || requested === pattern : requested.test(path);

/** The faults currently set, in the order they were added; the first that matches strikes. */
export class FaultTable {
  #rules: Rule[] = [];

  /**
   * Adds a fault. `times` limits how often it strikes (default: always), `skip` lets that many matching requests
   * pass first.
   */
  add(match: RequestMatch, fault: Fault, { times = Number.POSITIVE_INFINITY, skip = 0 } = {}): FaultHandle {
    const rule: Rule = { match, fault, skip, remaining: times, hits: 0 };
    this.#rules.push(rule);
    return {
      get hits() {
        return rule.hits;
      },
      remove: () => {
        this.#rules = this.#rules.filter((other) => other !== rule);
      },
    };
  }

  /** The fault for a request, counting it as used. */
  take(request: {
    cluster: string;
    node: string;
    method: string;
    path: string;
    pattern: string | undefined;
  }): Fault | undefined {
    for (const rule of this.#rules) {
      const { match } = rule;
      if (rule.remaining <= 0) continue;
      if (match.cluster !== undefined && match.cluster !== request.cluster) continue;
      if (match.node !== undefined && match.node !== request.node) continue;
      if (match.method !== undefined && match.method !== request.method) continue;
      if (match.path !== undefined && !pathMatches(match.path, request.path, request.pattern)) continue;
      if (rule.skip > 0) {
        rule.skip--;
        continue;
      }
      rule.remaining--;
      rule.hits++;
      if (rule.fault.kind !== 'html-502') return rule.fault;
      return { kind: 'respond', status: 502, reason: 'Bad Gateway', body: BAD_GATEWAY, contentType: 'text/html' };
    }
    return undefined;
  }

  clear(): void {
    this.#rules = [];
  }
}
