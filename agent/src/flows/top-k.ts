/** The k items of highest score out of many, in k slots: a binary heap whose root is the lowest kept. */
export class TopK<T> {
  private readonly scores: Float64Array;
  private readonly items: T[] = [];

  constructor(private readonly k: number) {
    this.scores = new Float64Array(k);
  }

  /** Whether an item of this score would be kept; lets callers make items only when needed. */
  wants(score: number): boolean {
    return this.items.length < this.k || (this.k > 0 && score > (this.scores[0] as number));
  }

  offer(score: number, item: T): void {
    if (this.items.length < this.k) {
      this.items.push(item);
      this.rise(this.items.length - 1, score, item);
    } else if (this.wants(score)) {
      this.sink(score, item);
    }
  }

  /** Kept items, highest score first. */
  sorted(): T[] {
    return this.items
      .map((item, i) => ({ item, score: this.scores[i] as number }))
      .sort((a, b) => b.score - a.score)
      .map(({ item }) => item);
  }

  private rise(from: number, score: number, item: T): void {
    let at = from;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if ((this.scores[parent] as number) <= score) break;
      this.move(parent, at);
      at = parent;
    }
    this.scores[at] = score;
    this.items[at] = item;
  }

  private sink(score: number, item: T): void {
    const size = this.items.length;
    let at = 0;
    for (let child = 1; child < size; child = 2 * at + 1) {
      if (child + 1 < size && (this.scores[child + 1] as number) < (this.scores[child] as number)) child += 1;
      if ((this.scores[child] as number) >= score) break;
      this.move(child, at);
      at = child;
    }
    this.scores[at] = score;
    this.items[at] = item;
  }

  private move(from: number, to: number): void {
    this.scores[to] = this.scores[from] as number;
    this.items[to] = this.items[from] as T;
  }
}
