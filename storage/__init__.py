"""The database: connect, migrations, one module per aggregate."""

from storage.connect import Store, StoreError, data_folder, open_store

__all__ = ["Store", "StoreError", "data_folder", "open_store"]
