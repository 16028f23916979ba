/** TFTP clients for load tests with k6. */
declare module 'k6/x/tftp' {
  /** How a transfer ended. */
  export type Outcome =
    /** The last block was confirmed, and what was expected of the file held. */
    | 'completed'
    /** The server told what it offers, and the client ended it there: `probe`. */
    | 'probed'
    /** The client ended it early, as `abort` says. */
    | 'aborted'
    /** ERROR 1. */
    | 'not-found'
    /** ERROR 2. */
    | 'denied'
    /** Another ERROR of the server. */
    | 'error'
    /** The server stayed silent for all repetitions. */
    | 'timed-out'
    /** Size or SHA-256 differ from what was expected, or the size from what the server announced. */
    | 'wrong-data'
    /** The server sent what it must not. */
    | 'protocol-error'
    /** This machine could not send: no such local address, no route, no socket. */
    | 'local-error'
    /** k6 ended the test first. It is in no metric. */
    | 'interrupted';

  /** A time such as `'250ms'` or `'1m30s'`, or a number of milliseconds. */
  export type Time = string | number;

  export interface Abort {
    /** Blocks after which it ends; 0: upon the first answer. Default 0. */
    after?: number;
    /** Code of the ERROR that is sent. Default 0. */
    code?: number;
    /** Text of the ERROR, at most 256 bytes. */
    message?: string;
    /** Send no ERROR: the client is just gone. */
    silent?: boolean;
  }

  export interface TransferOptions {
    /** Bytes in a block, 8 to 65464 (RFC 2348). Not asked for unless given: 512. */
    blksize?: number;
    /** Blocks in a window, 1 to 65535 (RFC 7440). Not asked for unless given: 1. */
    windowsize?: number;
    /** Ask for the size of the file, or announce it (RFC 2349). Default false; `probe` always asks. */
    tsize?: boolean;
    /** Ask the server to repeat after so many seconds, 1 to 255 (RFC 2349). */
    timeoutOption?: number;
    /** How long the client waits before it repeats. Default `'1s'`. */
    timeout?: Time;
    /** How often it repeats without progress before it gives up, 0 to 1000. Default 5. */
    retries?: number;
    /** What follows block 65535. Default 0. */
    rollover?: 0 | 1;
    /**
     * Where packets come from: an address, a range (`a-b`), a network (`127.9.0.0/16`), or several with commas. Each
     * virtual user has one of them. Default: k6's `--local-ips`, else what the system takes.
     */
    localAddress?: string;
    /** Tags of the metrics. Those of a call are added to those of the client. */
    tags?: Record<string, string | number | boolean>;
    /** Outcomes that are no failure. Default: what the call is for. */
    expect?: Outcome | Outcome[];
    /** The bytes that a read must bring. */
    size?: number;
    /** True: hash what is read. Or the hash that it must have, in hexadecimal. */
    sha256?: boolean | string;
    /** End it early; a number is `{ after: … }`, null none. */
    abort?: number | Abort | null;
  }

  export interface ClientOptions extends TransferOptions {
    /** The server: `host:port`, or a host with port 69. */
    address: string;
    /** All transfers of a virtual user come from one port, as with some boot ROMs. Default false: each from its own. */
    reusePort?: boolean;
    /** Let the kernel hand over blocks in larger pieces (UDP_GRO, Linux). Cheaper; the packets are the same. */
    gro?: boolean;
  }

  export interface Result {
    outcome: Outcome;
    /** File data, each byte once. */
    bytes: number;
    /** Blocks, each once. */
    blocks: number;
    /** What the server said of the size (tsize). */
    size: number | null;
    /** Packets that the client sent again. */
    retransmissions: number;
    /** Packets that brought nothing new. */
    duplicates: number;
    /** Windows with a missing block. */
    gaps: number;
    /** Packets that came from elsewhere than the transfer's server. */
    strays: number;
    /** Time-outs that passed in vain. */
    timeouts: number;
    /** Milliseconds, from the request to the end. */
    duration: number;
    /** Milliseconds, from the request to the first DATA, the first confirmed block of a write, or the OACK of a probe. */
    timeToFirstBlock: number | null;
    /** What was in force. */
    options: {
      /** Whether the server answered with an OACK. */
      negotiated: boolean;
      blksize: number;
      windowsize: number;
      /** Seconds, if the server granted them. */
      timeout: number | null;
    };
    /** In hexadecimal, if it was asked for and the file is complete. */
    sha256: string | null;
    /** Why it did not end well; null where it did. */
    error: {
      /** The code of the ERROR that was received or sent, if one was. */
      code: number | null;
      message: string;
    } | null;
  }

  /** A server, and how its clients behave. Made in the init context, used by virtual users. */
  export class Client {
    constructor(options: ClientOptions);
    /** Reads a file and forgets it. */
    get(name: string, options?: TransferOptions): Result;
    /** Writes these bytes; a number: so many made-up ones, always the same. */
    put(name: string, data: string | ArrayBuffer | Uint8Array | number, options?: TransferOptions): Result;
    /** Asks for a file and ends it with ERROR 8 at the first answer, as UEFI firmware does to learn the size. */
    probe(name: string, options?: TransferOptions): Result;
  }

  const tftp: { Client: typeof Client };
  export default tftp;
}
