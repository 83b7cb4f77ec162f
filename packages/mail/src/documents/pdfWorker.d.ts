/** The worker of pdf.js, which has no types. Importing it defines the worker in the current thread. */

declare module "pdfjs-dist/legacy/build/pdf.worker.mjs"
