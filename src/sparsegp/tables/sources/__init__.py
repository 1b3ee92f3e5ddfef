"""Where the rows of a table are: in memory, in a mapped or Parquet file, in a Dask collection."""
