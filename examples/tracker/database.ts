import sqlite from 'node-sqlite3-wasm';

export interface Issue {
  id: number;
  title: string;
  body: string;
  state: 'open' | 'closed';
  /** Why it was closed. */
  reason: string | null;
}

/** The issues in a SQLite file. */
export class Issues {
  readonly #database: InstanceType<typeof sqlite.Database>;

  constructor(file: string) {
    this.#database = new sqlite.Database(file);
    this.#database.exec(`CREATE TABLE IF NOT EXISTS issues (
      id INTEGER PRIMARY KEY,
      title TEXT NOT NULL,
      body TEXT NOT NULL,
      state TEXT NOT NULL DEFAULT 'open',
      reason TEXT
    )`);
  }

  open(title: string, body: string): Issue {
    const { lastInsertRowid } = this.#database.run('INSERT INTO issues (title, body) VALUES (?, ?)', [
      title,
      body,
    ]);
    return this.get(Number(lastInsertRowid)) as Issue;
  }

  get(id: number): Issue | undefined {
    return (this.#database.get('SELECT * FROM issues WHERE id = ?', [id]) ?? undefined) as Issue | undefined;
  }

  /** The issues in a state that contain a text, the newest first. */
  find(state: Issue['state'], text = ''): Issue[] {
    return this.#database.all(
      'SELECT * FROM issues WHERE state = ? AND instr(lower(title || body), lower(?)) ORDER BY id DESC LIMIT 50',
      [state, text],
    ) as unknown as Issue[];
  }

  close(id: number, reason: string): void {
    this.#database.run("UPDATE issues SET state = 'closed', reason = ? WHERE id = ?", [reason, id]);
  }

  /** Closes the file. */
  end(): void {
    this.#database.close();
  }
}
